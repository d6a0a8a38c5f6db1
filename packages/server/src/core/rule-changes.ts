/** Changes to one rule of alerts; an absent field keeps its default (alerts/rules.ts). Durations are texts: `5m`. */
export type RuleChange = Readonly<Record<string, boolean | number | string>>;

/** By the code of the rule. */
export type RuleChanges = Readonly<Record<string, RuleChange>>;
