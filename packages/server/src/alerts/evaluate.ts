import { hash } from 'node:crypto';
import type { Incident, IncidentNumbers, NoticeType, Subject } from './contract.ts';
import { type Measure, measuresOf, type Observation } from './measures.ts';
import { ALERT_RULES, RULE_CODES, type RuleCode } from './rules.ts';
import { messages, span } from './words.ts';

/** An incident in its new state. */
export interface Change {
  readonly incident: Incident;
  /** Type of the notice about it; null if only its numbers changed. */
  readonly type: NoticeType | null;
}

const MINUTE = 60_000;
/**
 * An incident that is breached again within this time after its end opens again. Each time, the quiet time before its end
 * doubles, up to `LONGEST_QUIET_MS`.
 */
const AGAIN_MS = 10 * MINUTE;
const LONGEST_QUIET_MS = 30 * MINUTE;
/** Time until the first update about an open incident. It doubles with each update, up to a day. */
const UPDATE_MS = 30 * MINUTE;
const MOST_UPDATES = 20;
const DAY = 24 * 60 * MINUTE;

/**
 * Decides the changes of incidents from what is observed now. Each cause at each subject has at most one open incident:
 *
 *     (none) ── a rule is breached ──► open ── no rule held for 2 min ──► ended
 *                                       ▲                                   │
 *                                       └── breached again within 10 min ───┘
 *
 * An open incident shows the most serious rule that holds. A more serious rule than any before is announced at once, other news
 * after half an hour, then less and less often. The incident ends at once if its subject is deleted, off or paused, or if all
 * rules of its cause are off.
 *
 * During a snooze only the end is announced. If the incident is open after the snooze, that is announced at once.
 *
 * @param known incidents that are open, those that ended in the last 10 minutes, and the newest of each cause at each subject.
 */
export function evaluate(
  observed: readonly Observation[],
  known: readonly Incident[],
  now: number,
  { quiet, snoozes }: EvaluateOptions,
): Change[] {
  const byKey = newestOf(known);
  const seen = new Set<string>();
  const changes = observed.flatMap((observation) => {
    const causes = Map.groupBy(measuresOf(observation, now), ({ rule }) => keyOf(observation.subject, rule));
    return [...causes].flatMap(([key, measures]) => {
      seen.add(key);
      const before = byKey.get(key);
      return (
        next({ observation, measures, before, now, quiet, snoozedUntil: snoozes.get(before?.id ?? '') ?? 0 }) ?? []
      );
    });
  });
  const orphans = [...byKey].filter(([key, { state }]) => state === 'open' && !seen.has(key));
  const over = 'Over: its rules were switched off, or what they watch was switched off, paused or deleted.';
  return [...changes, ...orphans.map(([, incident]) => end(unmeasured(incident), now, over))];
}

/** It says no longer what waits: messages of what is deleted or switched off do not. */
function unmeasured(incident: Incident): Incident {
  return { ...incident, numbers: { ...incident.numbers, waiting: null, oldestWaitingAt: null } };
}

/** For each cause at each subject, its newest incident. */
export function newestOf(incidents: Iterable<Incident>): ReadonlyMap<string, Incident> {
  const newest = new Map<string, Incident>();
  for (const incident of incidents) {
    const key = keyOf(incident.subject, incident.rule);
    const other = newest.get(key);
    if (!other || endOf(other) <= endOf(incident)) newest.set(key, incident);
  }
  return newest;
}

/** Compared by end, not by beginning: `since` of an outage that goes on after a pause is the same in both incidents. */
function endOf({ endedAt }: Incident): number {
  return endedAt ?? Number.POSITIVE_INFINITY;
}

export interface EvaluateOptions {
  /** How long no rule must hold before an incident ends, milliseconds. */
  readonly quiet: number;
  /** Until when incidents are snoozed, milliseconds since the epoch, by id. The time may be past. */
  readonly snoozes: ReadonlyMap<string, number>;
}

interface Case {
  readonly observation: Observation;
  readonly measures: readonly Measure[];
  readonly before: Incident | undefined;
  readonly now: number;
  readonly quiet: number;
  readonly snoozedUntil: number;
}

/** Null if there is nothing to announce or save. */
function next(at: Case): Change | null {
  const { before, measures, now } = at;
  if (before?.state === 'open') {
    const holding = measures.filter((measure) => isHeld(measure, before));
    return holding.length > 0 ? goOn(before, holding, at) : calm(before, at);
  }
  const breached = measures.filter((measure) => measure.breached);
  if (breached.length === 0) return null;
  if (before?.endedAt != null && now - before.endedAt < AGAIN_MS) {
    const open = { ...before, state: 'open', endedAt: null, recovery: null, reopened: before.reopened + 1 } as const;
    return news({ ...open, ...stateOf(breached, at) }, at);
  }
  return { incident: begun(breached, at), type: 'opened' };
}

/** Whether the rule keeps the incident open. A rule that the incident already has needs less for that than a breach. */
function isHeld({ rule, breached, holds }: Measure, before: Incident): boolean {
  const has = before.rule === rule || before.also.includes(rule);
  return breached || (has && holds !== false);
}

function begun(breached: readonly Measure[], at: Case): Incident {
  const { observation, before, now } = at;
  const { subject } = observation;
  const rule = breached[0]?.rule ?? 'no_success';
  return {
    // Two processes that both believe to be the evaluating one make the same id; each new incident gets another id.
    id: `inc_${hash('sha256', JSON.stringify([keyOf(subject, rule), before?.id ?? Math.floor(now / DAY)]), 'hex').slice(0, 20)}`,
    ...{ subject, state: 'open', since: sinceOf(rule, observation, now), endedAt: null, sample: null, updates: [] },
    ...{ recovery: null, reopened: 0, worst: rule, toldAt: now },
    ...stateOf(breached, at),
  };
}

/** An outage begins with its first failed attempt, before the rule was breached. */
function sinceOf(rule: RuleCode, { failingSince }: Observation, now: number): number {
  return rule === 'no_success' ? (failingSince ?? now) : now;
}

function goOn(before: Incident, holding: readonly Measure[], at: Case): Change {
  const { now, snoozedUntil } = at;
  const state = stateOf(holding, at);
  // While a rule as serious as the worst one holds, the count of events delivered during recovery starts again here.
  const isLow = gravity(state.rule) <= gravity(before.worst);
  const low = isLow ? { low: state.low, drained: null } : { low: before.low, drained: drained(before, at) };
  const incident = { ...before, ...state, ...low };
  const wait = Math.min(UPDATE_MS * 2 ** before.updates.length, DAY);
  const isLate = now - before.toldAt >= wait || before.toldAt > now || snoozedUntil > before.toldAt;
  // If no rule can be measured now, there is no news.
  const isKnown = holding.some(({ holds }) => holds !== null);
  return (isLate && isKnown) || gravity(state.rule) < gravity(before.worst)
    ? news(incident, at)
    : { incident, type: null };
}

/** An update, unless the incident is snoozed. Then its state is announced after the snooze. */
function news(incident: Incident, { now, snoozedUntil }: Case): Change {
  if (snoozedUntil > now) return { incident, type: null };
  const worst = gravity(incident.rule) < gravity(incident.worst) ? incident.rule : incident.worst;
  const updates = [...incident.updates, { at: now, numbers: incident.numbers }].slice(-MOST_UPDATES);
  return { incident: { ...incident, worst, updates, toldAt: now }, type: 'updated' };
}

/** No rule holds now. The incident ends if that lasts for the quiet time. */
function calm(before: Incident, at: Case): Change {
  const { observation, now } = at;
  // `clearSince` may be in the future if the clock was set back.
  const since = Math.min(before.clearSince ?? now, now);
  const numbers = numbersOf(null, before, observation);
  const incident = { ...before, clearSince: since, drained: drained(before, at), numbers };
  if (now < since + quietOf(before, at.quiet)) return { incident, type: null };
  return end(incident, now, recoveryOf(incident, at));
}

/** When an open incident will end if its rules stay clear; null while a rule holds. */
export function endsAt(incident: Incident, quiet: number): number | null {
  const { state, clearSince } = incident;
  return state === 'ended' || clearSince === null ? null : clearSince + quietOf(incident, quiet);
}

function quietOf({ reopened }: Incident, quiet: number): number {
  return Math.min(quiet * 2 ** reopened, Math.max(LONGEST_QUIET_MS, quiet));
}

function end(incident: Incident, now: number, recovery: string): Change {
  return { incident: { ...incident, state: 'ended', endedAt: now, recovery }, type: 'ended' };
}

type State = Pick<Incident, 'cause' | 'also' | 'numbers' | 'low' | 'drained' | 'clearSince'> & { rule: RuleCode };

function stateOf(holding: readonly Measure[], { observation, before, now }: Case): State {
  const [gravest, ...others] = holding;
  const rule = gravest?.rule ?? 'no_success';
  // If the rule can't be measured now, the incident keeps its last measurement, and its cause unless that has changed.
  const isKnown = before === undefined || gravest?.holds !== null;
  return {
    ...{
      rule,
      also: others.map((measure) => measure.rule),
      cause: gravest?.cause ? `${gravest.cause}.` : (before?.cause ?? ''),
    },
    numbers: numbersOf((isKnown && gravest) || null, before, observation),
    low: { at: now, processed: observation.processed ?? 0 },
    ...{ drained: null, clearSince: null },
  };
}

function numbersOf(measure: Measure | null, before: Incident | undefined, seen: Observation): IncidentNumbers {
  const { value, threshold } = measure ?? before?.numbers ?? { value: 0, threshold: 0 };
  const { waiting, oldestWaitingAt, failed } = seen;
  return { value, threshold, waiting, oldestWaitingAt, failed };
}

/** When messages stopped waiting, and how many events were delivered by then; null while messages wait. */
function drained(before: Incident, { observation, now }: Case): Incident['drained'] {
  if (before.drained || observation.waiting !== 0 || observation.processed === null) return before.drained;
  return { at: now, events: observation.processed - before.low.processed };
}

function recoveryOf(incident: Incident, { observation, now }: Case): string {
  const { worst, low, since } = incident;
  if (ALERT_RULES[worst].cause !== 'delivery') return RECOVERED[ALERT_RULES[worst].cause] ?? 'Recovered.';
  const { at, events } = incident.drained ?? { at: now, events: (observation.processed ?? 0) - low.processed };
  // Its rules may end to hold by what is discarded, or when its statistics are no longer kept.
  if (events <= 0 && (observation.lastAt ?? 0) <= since)
    return 'Over: none of its rules holds now. Nothing was delivered since it began.';
  // A replay of delivered events lowers the total, so the difference may be negative.
  const drained = events > 0 ? `${messages(events)} drained in ${span(at - low.at)}` : 'none of its rules holds now';
  const left = observation.waiting
    ? `; ${messages(observation.waiting)} still ${observation.waiting === 1 ? 'waits' : 'wait'}`
    : '';
  return `Recovered: ${drained}${left}.`;
}

const RECOVERED: Readonly<Record<string, string>> = {
  certificate: 'Recovered: the certificate was renewed, or no URL uses one now.',
  silent: 'Recovered: events come again.',
  refused: 'Recovered: calls are no longer refused, or seldom.',
  disk: 'Recovered: the disk has room again.',
};

function keyOf({ kind, id }: Subject, rule: RuleCode): string {
  return `${ALERT_RULES[rule].cause} ${kind} ${id}`;
}

function gravity(rule: RuleCode): number {
  return RULE_CODES.indexOf(rule);
}
