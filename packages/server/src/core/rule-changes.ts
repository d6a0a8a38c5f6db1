/** What is set of one rule of alerts; what is absent is as it comes (alerts/rules.ts). Durations are texts: `5m`. */
export type RuleChange = Readonly<Record<string, boolean | number | string>>;

/** By the code of the rule. */
export type RuleChanges = Readonly<Record<string, RuleChange>>;
