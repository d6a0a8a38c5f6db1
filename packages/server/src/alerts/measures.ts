import { share } from '../core/share.ts';
import type { Subject } from './contract.ts';
import { ALERT_RULES, RULE_CODES, type RuleCode, type RuleValues } from './rules.ts';
import { messages, span } from './words.ts';

/**
 * Successes and failures in a stretch of time. For a destination: attempts; or rounds, if each URL has to take a message. For a
 * source: accepted and refused calls.
 */
export interface Tried {
  readonly good: number;
  readonly bad: number;
}

/** The state of a destination, a source or the service at one moment. Times are milliseconds since the epoch. */
export interface Observation {
  readonly subject: Subject;
  readonly rules: Readonly<Partial<Record<RuleCode, RuleValues>>>;
  /** Over the time that the share rule sets (`tried`), and over the last minutes (`lately`), which decide whether an incident goes on. */
  readonly tried: Tried;
  readonly lately: Tried;
  /** When the last event was delivered (destination) or accepted (source). */
  readonly lastAt: number | null;
  /** For a destination: when its last attempt ended, and its first failed attempt since the last success; null if there was none. */
  readonly triedAt: number | null;
  readonly failingSince: number | null;
  readonly waiting: number | null;
  readonly oldestWaitingAt: number | null;
  readonly processed: number | null;
  readonly failed: number | null;
  /** The known certificate that ends first, and whether the certificate of some URL is unknown now. */
  readonly certificate: { readonly endsAt: number; readonly host: string } | null;
  readonly isUnseen: boolean;
  readonly isDiskShort: boolean;
  /** For a destination: whether a message is delivered only when several URLs have taken it. */
  readonly needsAll: boolean;
}

/** The result of one rule for one subject. */
export interface Measure {
  readonly rule: RuleCode;
  /** Whether it opens an incident. */
  readonly breached: boolean;
  /** Whether it keeps an incident open; null if that can't be measured now. */
  readonly holds: boolean | null;
  /** The cause, in one sentence; null if nothing is known of it now, and what was known before still stands. */
  readonly cause: string | null;
  readonly value: number;
  readonly threshold: number;
}

/** The results of all rules that are on for the subject. Within a cause, the most serious rule comes first. */
export function measuresOf(seen: Observation, now: number): Measure[] {
  return RULE_CODES.flatMap((rule) => {
    const values = seen.rules[rule];
    if (ALERT_RULES[rule].of !== seen.subject.kind || !values?.enabled) return [];
    return [{ rule, ...MEASURES[rule](seen, (field) => Number(values[field]), now) }];
  });
}

type Take = (seen: Observation, set: (field: string) => number, now: number) => Omit<Measure, 'rule'>;

const MEASURES: Readonly<Record<RuleCode, Take>> = {
  no_success({ lastAt, triedAt, failingSince, needsAll }, set, now) {
    const fails = failingSince !== null && triedAt !== null;
    const failing = failingSince === null ? 0 : now - failingSince;
    const isNever = lastAt === null;
    const what = needsAll
      ? `No message ${isNever ? 'ever reached' : 'reaches'} all its URLs`
      : `Nothing ${isNever ? 'was ever' : 'is'} delivered`;
    return {
      // Measured between attempts: one failed message, after which nothing more is sent, is no outage.
      breached: fails && triedAt - failingSince >= set('after'),
      holds: fails,
      value: failing,
      threshold: set('after'),
      cause: `${what}: attempts have failed for ${span(failing)}`,
    };
  },
  success_share({ tried, lately, triedAt, failingSince, needsAll }, set, now) {
    const all = tried.good + tried.bad;
    const part = all === 0 ? 1 : tried.good / all;
    // No endpoint recovers because traffic stopped.
    const isUnknown = failingSince !== null && lately.good + lately.bad === 0;
    return {
      breached: all >= set('atLeast') && part < set('below'),
      holds: isUnknown ? null : lately.bad > 0 && lately.good < (lately.good + lately.bad) * set('below'),
      value: part,
      threshold: set('below'),
      cause: isUnknown
        ? `${part === 0 ? 'No attempt' : 'Few attempts or none'} succeeded, and nothing was tried for ${span(now - (triedAt ?? now))}`
        : `${part === 0 ? 'Nothing' : `Only ${share(tried.good, all)}`} of what was tried in the last ${span(set('over'))} ${needsAll ? 'reached all its URLs' : 'succeeded'}`,
    };
  },
  oldest_waiting({ oldestWaitingAt }, set, now) {
    const age = oldestWaitingAt === null ? 0 : now - oldestWaitingAt;
    return {
      ...threshold(age, set('above')),
      cause: `The oldest waiting message was received ${span(age)} ago`,
    };
  },
  waiting: ({ waiting }, set) => ({
    ...threshold(waiting ?? 0, set('above')),
    cause: `${messages(waiting ?? 0)} wait`,
  }),
  certificate({ certificate, isUnseen }, set, now) {
    const left = certificate === null ? 0 : certificate.endsAt - now;
    const isNear = certificate !== null && left < set('within');
    const ends = left < 0 ? 'has ended' : `ends in ${span(left)}`;
    return {
      breached: isNear,
      // A certificate is known after a connection. A process that has just started has not connected yet.
      holds: isNear || (isUnseen ? null : false),
      value: Math.max(0, left),
      threshold: set('within'),
      cause: isNear ? `The certificate of ${certificate.host} ${ends}` : null,
    };
  },
  source_silent({ lastAt }, set, now) {
    const silence = lastAt === null ? 0 : now - lastAt;
    const measured = { ...threshold(silence, set('after')), cause: `No event came for ${span(silence)}` };
    // Unknown, so an open incident stays open: without a last event, or with one in the future, after the clock was set back.
    return lastAt === null || silence < 0 ? { ...measured, holds: null, cause: null } : measured;
  },
  source_refused({ tried, lately }, set) {
    const all = tried.good + tried.bad;
    const part = all === 0 ? 0 : tried.bad / all;
    return {
      breached: tried.bad >= set('atLeast') && part > set('above'),
      holds: lately.bad > (lately.good + lately.bad) * set('above'),
      value: part,
      threshold: set('above'),
      cause: `${share(tried.bad, all)} of the calls of the last ${span(set('over'))} were refused`,
    };
  },
  disk_reserve: ({ isDiskShort }) => ({
    ...threshold(isDiskShort ? 1 : 0, 0),
    cause: 'The disk has little room left: calls of web and mobile sources are refused',
  }),
};

function threshold(value: number, above: number): Pick<Measure, 'breached' | 'holds' | 'value' | 'threshold'> {
  return { breached: value > above, holds: value > above, value, threshold: above };
}
