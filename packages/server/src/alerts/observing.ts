import type { Destination } from '../core/destination.ts';
import { heldUpBy, isPaused, standsStill } from '../core/hold.ts';
import { sumCounts } from '../core/lane.ts';
import { roundsOf } from '../core/rounds.ts';
import type { RuleChanges } from '../core/rule-changes.ts';
import type { Source } from '../core/source.ts';
import { lastFailure } from '../core/tally.ts';
import {
  type DeliveryStore,
  type LastTimes,
  STATS_STEPS,
  type StatsStore,
  type StatsSums,
} from '../record/contract.ts';
import type { AlertSettings, IncidentSample, Subject } from './contract.ts';
import type { Observation, Tried } from './measures.ts';
import { RULE_CODES, type RuleCode, type RuleValues, valuesOf } from './rules.ts';

/** The sources of observations. */
export interface Sights {
  readonly destinations: () => readonly Destination[];
  readonly sources: () => readonly Source[];
  readonly stats: Pick<StatsStore, 'series' | 'totals' | 'last'>;
  readonly deliveries: Pick<DeliveryStore, 'counts' | 'oldestWaiting' | 'list'>;
  /** The URLs of a destination, and when each URL's certificate ends, milliseconds since the epoch; null if no certificate was seen. */
  readonly certificates: (destinationId: string) => readonly { readonly url: string; readonly endsAt: number | null }[];
  readonly isDiskShort: () => boolean;
}

const MINUTE = 60_000;
/** The results of the current minute and the one before decide whether an incident goes on. */
const LATELY_MS = MINUTE;
/** The period that an incident's numbers cover. */
const FAILED_MS = 15 * MINUTE;
/** The first failed attempt is searched this far back. */
const FURTHEST_MS = 6 * 60 * MINUTE;
const SERVICE: Subject = { kind: 'service', id: 'service', name: 'Millrace' };
const NOTHING: Tried = { good: 0, bad: 0 };

/** For a destination: since when attempts fail (null: they do not), and the end of the latest attempt when that was found. */
interface Failing {
  readonly since: number | null;
  readonly triedAt: number;
}

/** Measures everything that rules need. */
export class Observer {
  readonly #sights: Sights;
  #failing = new Map<string, Failing>();

  constructor(sights: Sights) {
    this.#sights = sights;
  }

  async observe(settings: AlertSettings, now: number): Promise<Observation[]> {
    const { stats, deliveries } = this.#sights;
    // A paused destination is left out: a person wants it to stand still.
    const destinations = this.#sights.destinations().filter((one) => one.enabled && !standsStill(one));
    // Sources of audiences and traits are left out: they send nothing while nothing changes.
    const sources = this.#sights.sources().filter(({ enabled, sentBy }) => enabled && sentBy === undefined);
    const ids = destinations.map(({ id }) => id);
    const subjects = [...ids, ...sources.map(({ id }) => id)];
    const rules = new Map([...destinations, ...sources].map(({ id, alerts }) => [id, rulesFor(settings, alerts)]));
    const lengths = new Set([FAILED_MS, ...[...rules.values()].flatMap(Object.values).map(overOf)]);
    const totals = (length: number) => {
      const step = stepFor(length);
      return stats.totals(subjects, from(now, length, step), after(now, step));
    };
    const [last, lately, oldest, lanes, ...spans] = await Promise.all([
      stats.last(subjects),
      totals(LATELY_MS),
      deliveries.oldestWaiting(ids),
      deliveries.counts(ids),
      ...[...lengths].map(async (length) => [length, await totals(length)] as const),
    ]);
    const lengthsOf = new Map(spans);
    const common = (subject: Subject, rule: RuleCode, tried: TriedIn, failedIn: TriedIn = tried): Observation => {
      const set = rules.get(subject.id) ?? {};
      const failed = failedIn(lengthsOf.get(FAILED_MS)?.get(subject.id)).bad;
      const { lastAt = null, triedAt = null } = last.get(subject.id) ?? {};
      return {
        ...UNKNOWN,
        ...{ subject, rules: set, lastAt, triedAt, failed },
        tried: tried(lengthsOf.get(overOf(set[rule]))?.get(subject.id)),
        lately: tried(lately.get(subject.id)),
      };
    };
    await this.#lookForFailures(destinations, last, lately, now);
    const countsOf = Map.groupBy(lanes, ({ destinationId }) => destinationId);
    return [
      ...destinations.map((destination): Observation => {
        const { id, name, webhooks } = destination;
        const tried = triedIn(destination);
        const { waiting, processed } = sumCounts(countsOf.get(id) ?? []);
        return {
          ...common({ kind: 'destination', id, name }, 'success_share', tried, attemptsIn),
          failingSince: this.#failing.get(id)?.since ?? null,
          ...{ waiting, processed, oldestWaitingAt: oldest.get(id) ?? null },
          ...this.#certificatesOf(id, webhooks),
          needsAll: destination.success === 'all' && webhooks.length > 1,
        };
      }),
      ...sources.map(({ id, name }) => common({ kind: 'source', id, name }, 'source_refused', callsIn)),
      {
        ...UNKNOWN,
        ...{ subject: SERVICE, rules: rulesFor(settings) },
        isDiskShort: this.#sights.isDiskShort(),
      },
    ];
  }

  /** An example message of the destination: one that is retried, else one that failed. */
  async sampleOf(destinationId: string): Promise<IncidentSample | null> {
    for (const state of ['retrying', 'failed'] as const) {
      const none = { event: null, userId: null, from: null, to: null, cursor: null };
      const { items } = await this.#sights.deliveries.list({ ...none, destinationId, state, limit: 1 });
      const [delivery] = items;
      if (!delivery) continue;
      const { messageId, sourceId, position, attempts } = delivery;
      const { status = null, detail = null } = lastFailure(attempts) ?? {};
      return { messageId, sourceId, position, error: status === null ? detail : `HTTP ${status}` };
    }
    return null;
  }

  async #lookForFailures(
    destinations: readonly Destination[],
    last: ReadonlyMap<string, LastTimes>,
    lately: ReadonlyMap<string, StatsSums>,
    now: number,
  ) {
    const failing = new Map<string, Failing>();
    for (const destination of destinations) {
      const { id } = destination;
      const { lastAt, triedAt } = last.get(id) ?? { lastAt: null, triedAt: null };
      // A time in the future was noted when the clock was wrong: ignore it.
      const known = lastAt === null || lastAt > now ? 0 : lastAt;
      const byAll = destination.success === 'all';
      const tried = triedIn(destination);
      const success = byAll ? (tried(lately.get(id)).good > 0 ? now : 0) : known;
      if (triedAt === null || triedAt <= success) continue;
      const seen = this.#failing.get(id);
      const before = seen?.since ?? null;
      // A later success makes the found failure invalid. Where all URLs have to take a message, successes are known only per
      // minute, so every new attempt searches again.
      const stands = byAll ? seen?.triedAt === triedAt : before !== null && before >= success;
      const found = stands ? before : await this.#firstFailure(id, success, now, byAll ? { before, tried } : null);
      // The failure is older than the search reaches: use the last attempt.
      failing.set(id, { triedAt, since: found ?? (byAll ? null : triedAt) });
    }
    this.#failing = failing;
  }

  /**
   * The first failed attempt after the last success; null if none is found. With `byAll`, the last success is searched too; if
   * there was none, the failure found before still counts.
   */
  async #firstFailure(
    id: string,
    success: number,
    now: number,
    byAll: { readonly before: number | null; readonly tried: TriedIn } | null,
  ): Promise<number | null> {
    const range = { from: from(Math.max(success, now - FURTHEST_MS), 0), to: after(now), step: MINUTE };
    const steps = await this.#sights.stats.series({ subjects: [id], ...range });
    const taken = byAll ? steps.findLast((step) => byAll.tried(step).good > 0) : undefined;
    if (byAll && !taken && byAll.before !== null) return byAll.before;
    const lastAt = taken ? taken.at + MINUTE : success;
    const firsts = steps.flatMap(({ attempts }) =>
      [...attempts].flatMap(([end, [, firstAt, endedAt]]) =>
        isGood(end) || endedAt <= lastAt ? [] : [Math.max(firstAt, lastAt)],
      ),
    );
    return firsts.length === 0 ? null : Math.min(...firsts);
  }

  #certificatesOf(id: string, webhooks: Destination['webhooks']): Pick<Observation, 'certificate' | 'isUnseen'> {
    const ends = new Map(this.#sights.certificates(id).map(({ url, endsAt }) => [url, endsAt]));
    // Paused URLs are left out: they make no connections that show a certificate.
    const secure = webhooks
      .filter((one) => !isPaused(one))
      .map(({ url }) => url)
      .filter((url) => url.startsWith('https:'));
    const known = secure.flatMap((url) => {
      const endsAt = ends.get(url) ?? null;
      return endsAt === null ? [] : [{ endsAt, host: new URL(url).host }];
    });
    const [first = null] = known.toSorted((a, b) => a.endsAt - b.endsAt);
    return { certificate: first, isUnseen: known.length < secure.length };
  }
}

const UNKNOWN: Omit<Observation, 'subject' | 'rules'> = {
  ...{ tried: NOTHING, lately: NOTHING, lastAt: null, triedAt: null, failingSince: null },
  ...{ waiting: null, oldestWaitingAt: null, processed: null, failed: null },
  ...{ certificate: null, isUnseen: false, isDiskShort: false, needsAll: false },
};

function rulesFor({ rules }: AlertSettings, own: RuleChanges = {}): Observation['rules'] {
  return Object.fromEntries(RULE_CODES.map((code) => [code, valuesOf(code, own[code], rules[code])]));
}

function overOf(values: RuleValues | undefined): number {
  return values && 'over' in values ? Number(values['over']) : FAILED_MS;
}

/**
 * What counts as a success: a message that every URL took, where the destination asks for all, else one request. While one of
 * these URLs is paused, requests count too: messages wait for it, and only requests show whether the others work.
 */
function triedIn(destination: Destination): TriedIn {
  return destination.success === 'all' && heldUpBy(destination).length === 0 ? roundsIn : attemptsIn;
}

type TriedIn = (sums: StatsSums | undefined) => Tried;

function roundsIn(sums: StatsSums | undefined): Tried {
  if (!sums) return NOTHING;
  const attemptsFailed = attemptsIn(sums).bad;
  return { good: sums.processed, bad: roundsOf({ ...sums, attemptsFailed }) - sums.processed };
}

function attemptsIn(sums: StatsSums | undefined): Tried {
  let [good, bad] = [0, 0];
  for (const [end, [count]] of sums?.attempts ?? []) {
    if (isGood(end)) good += count;
    else bad += count;
  }
  return { good, bad };
}

function callsIn(sums: StatsSums | undefined): Tried {
  return { good: sums?.accepted ?? 0, bad: sums?.rejected ?? 0 };
}

function isGood(end: string): boolean {
  return end.startsWith('ok ');
}

/** The beginning of the step that contains the time `length` ago. */
function from(now: number, length: number, step = MINUTE): number {
  return Math.floor((now - length) / step) * step;
}

function after(now: number, step = MINUTE): number {
  return Math.floor(now / step) * step + step;
}

/** The stored step in which a time of this length is read: a longer one reads fewer rows, and adds a twelfth at most. */
function stepFor(length: number): number {
  return STATS_STEPS.findLast((step) => step * 12 <= length) ?? MINUTE;
}
