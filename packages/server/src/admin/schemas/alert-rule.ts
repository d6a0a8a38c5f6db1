import { ALERT_RULES, RULE_CODES, type Rule, type RuleCode, type RuleField } from '../../alerts/rules.ts';
import { count, share } from './field.ts';
import { closed, described, flag, object, optionals, type SchemaOf, text } from './shape.ts';

/** A rule's settings, and their allowed values. */
export type AlertRule = Record<string, boolean | number | string>;

type Rules = Record<RuleCode, AlertRule>;

type Fields = Record<string, SchemaOf<boolean | number | string>>;

function rules(codes: readonly RuleCode[], make: (fields: Fields) => object): Record<string, SchemaOf<AlertRule>> {
  const each = codes.map((code) => {
    const { fields, means } = ALERT_RULES[code];
    const set = Object.entries(fields).map(([name, field]) => [name, schemaOf(field)] as const);
    return [code, described(make({ enabled: flag(), ...Object.fromEntries(set) }) as SchemaOf<AlertRule>, means)];
  });
  return Object.fromEntries(each);
}

function schemaOf({ kind, means, fallback }: RuleField): SchemaOf<number | string> {
  const more = { description: means, default: fallback };
  if (kind === 'duration') return text({ ...more, maxLength: 20 });
  return kind === 'share' ? described(share, more) : described(count, more);
}

/** All rules with all settings. */
export const allRules = object(rules(RULE_CODES, object)) as unknown as SchemaOf<Rules>;

/** Changed settings of rules: those for one kind of subject, or all. */
export function changedRules(of: Rule['of'] | null = null): SchemaOf<Partial<Rules>> {
  const codes = RULE_CODES.filter((code) => of === null || ALERT_RULES[code].of === of);
  const set = rules(codes, (fields) => closed(optionals(fields)));
  return closed(optionals(set)) as unknown as SchemaOf<Partial<Rules>>;
}

const OWN = 'What is set of its own rules of alerts, before those of all. Replaced whole; `{}` for none';

/** The rules of a single destination or source. */
export function ownRules(of: 'destination' | 'source'): SchemaOf<Partial<Rules>> {
  return described(changedRules(of), OWN);
}
