import { durationWithin, parseDuration } from '../core/duration.ts';

/** A setting of a rule. A duration is a text like `5m`, a share lies between 0 and 1. */
export interface RuleField {
  readonly kind: 'duration' | 'share' | 'count';
  readonly fallback: string | number;
  readonly means: string;
}

export type RuleCode =
  | 'no_success'
  | 'success_share'
  | 'oldest_waiting'
  | 'waiting'
  | 'certificate'
  | 'source_silent'
  | 'source_refused'
  | 'disk_reserve';

export interface Rule {
  readonly of: 'destination' | 'source' | 'service';
  /** Rules with the same cause share one incident per subject. It shows the first of them that holds. */
  readonly cause: string;
  readonly title: string;
  readonly means: string;
  readonly enabled: boolean;
  readonly fields: Readonly<Record<string, RuleField>>;
  /** Unit of `value` and `threshold` in an incident's numbers. */
  readonly unit: 'milliseconds' | 'share' | 'events' | 'none';
}

const OVER: RuleField = { kind: 'duration', fallback: '15m', means: 'Over the last' };

/**
 * All rules by code, with their defaults. Within a cause, the most serious rule comes first. The table in docs/alerts.md, the
 * schemas of the API and the form of the interface are generated from this. Codes are stable: never rename one, only add.
 */
export const ALERT_RULES: { readonly [R in RuleCode]: Rule } = {
  no_success: {
    of: 'destination',
    cause: 'delivery',
    title: 'Nothing is delivered',
    means: 'Attempts were made for this long, and none succeeded.',
    enabled: true,
    fields: { after: { kind: 'duration', fallback: '5m', means: 'Attempts fail for' } },
    unit: 'milliseconds',
  },
  success_share: {
    of: 'destination',
    cause: 'delivery',
    title: 'Few attempts succeed',
    means: 'The share of successful attempts is below this.',
    enabled: true,
    fields: {
      below: { kind: 'share', fallback: 0.5, means: 'Share that succeeds' },
      over: OVER,
      atLeast: { kind: 'count', fallback: 20, means: 'Attempts needed to tell' },
    },
    unit: 'share',
  },
  oldest_waiting: {
    of: 'destination',
    cause: 'delivery',
    title: 'A message waits long',
    means: 'The oldest waiting message was received longer ago than this.',
    enabled: true,
    fields: { above: { kind: 'duration', fallback: '1h', means: 'Age of the oldest' } },
    unit: 'milliseconds',
  },
  waiting: {
    of: 'destination',
    cause: 'delivery',
    title: 'Many messages wait',
    means: 'More messages than this wait.',
    enabled: true,
    fields: { above: { kind: 'count', fallback: 100_000, means: 'Waiting messages' } },
    unit: 'events',
  },
  certificate: {
    of: 'destination',
    cause: 'certificate',
    title: 'A certificate ends soon',
    means: 'The certificate of a URL ends in less than this.',
    enabled: true,
    fields: { within: { kind: 'duration', fallback: '14d', means: 'Time left' } },
    unit: 'milliseconds',
  },
  source_silent: {
    of: 'source',
    cause: 'silent',
    title: 'A source fell silent',
    means: 'The source had events, and none came for this long.',
    enabled: false,
    fields: { after: { kind: 'duration', fallback: '1h', means: 'Since the last event' } },
    unit: 'milliseconds',
  },
  source_refused: {
    of: 'source',
    cause: 'refused',
    title: "A source's calls are refused",
    means: "More than this share of a source's calls was refused, without those of suppressed users.",
    enabled: true,
    fields: {
      above: { kind: 'share', fallback: 0.5, means: 'Share that is refused' },
      over: OVER,
      atLeast: { kind: 'count', fallback: 20, means: 'Refused calls needed to tell' },
    },
    unit: 'share',
  },
  disk_reserve: {
    of: 'service',
    cause: 'disk',
    title: 'The disk is almost full',
    means: 'The reserve of the disk is in use, so calls of web and mobile sources are refused.',
    enabled: true,
    fields: {},
    unit: 'none',
  },
};

export const RULE_CODES = Object.keys(ALERT_RULES) as readonly RuleCode[];

/** A rule's settings as they apply to a subject; durations in milliseconds. */
export interface RuleValues {
  readonly enabled: boolean;
  readonly [field: string]: boolean | number;
}

/** The rule's settings with the changes applied. An earlier argument overrides a later one. */
export function valuesOf(
  code: RuleCode,
  ...set: readonly (Readonly<Record<string, unknown>> | undefined)[]
): RuleValues {
  const { enabled, ...fields } = shownRule(code, Object.assign({}, ...set.toReversed()));
  const entries = Object.entries(fields).map(([field, value]) => [field, inNumbers(value)]);
  return { ...Object.fromEntries(entries), enabled: enabled === true };
}

/** The rule's settings as a person sets and sees them: durations are texts. */
export function shownRule(code: RuleCode, set: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { enabled, fields } = ALERT_RULES[code];
  const values = Object.entries(fields).map(([field, { fallback }]) => [field, set[field] ?? fallback]);
  return { enabled: set['enabled'] ?? enabled, ...Object.fromEntries(values) };
}

/** The problem with a value, in words; null if the value is good. */
export function fieldFlaw({ kind }: RuleField, value: unknown): string | null {
  if (kind === 'duration') {
    const fits = typeof value === 'string' && durationWithin(value, SHORTEST, LONGEST) !== undefined;
    return fits ? null : `must be a duration from ${SHORTEST} to ${LONGEST}, like 90s, 5m or 4h`;
  }
  if (kind === 'share') {
    return typeof value === 'number' && value > 0 && value <= 1 ? null : 'must be a number above 0, at most 1';
  }
  return Number.isSafeInteger(value) && Number(value) > 0 ? null : 'must be a whole number from 1';
}

const SHORTEST = '10s';
const LONGEST = '365d';

function inNumbers(value: unknown): number {
  return typeof value === 'string' ? (parseDuration(value) ?? Number.NaN) : Number(value);
}
