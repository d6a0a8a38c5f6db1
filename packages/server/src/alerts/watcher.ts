import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import { parseDuration } from '../core/duration.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import type { Trouble } from '../core/trouble.ts';
import { announce } from './announce.ts';
import { type AlertStore, type Incident, NO_ALERT_SETTINGS } from './contract.ts';
import { type Change, evaluate, newestOf } from './evaluate.ts';
import type { Observer } from './observing.ts';

export interface WatcherOptions {
  readonly store: AlertStore;
  readonly observer: Observer;
  readonly clock: Clock;
  /** When it resolves, the statistics contain everything this process has counted. */
  readonly flush: () => Promise<unknown>;
  /** Notices may have been written into the outbox. */
  readonly written: () => void;
  readonly trouble: Trouble;
}

const EVERY_MS = 10_000;
const MINUTE = 60_000;
/** The most incidents that get an example message in one run. */
const MOST_SAMPLES = 100;
/** An ended incident stays in memory this long, because it may open again, milliseconds. */
const IN_MIND_MS = 10 * MINUTE;
const SWEEP_MS = 60 * MINUTE;
const KEPT_MS = 400 * 24 * 60 * MINUTE;
const MOST_ENDED = 1_000;

/**
 * Evaluates the rules every 10 s, in one process at a time. An incident and its notices are saved together before a notice is
 * sent, and only by the process that began last. After a restart, or in another process, the evaluation continues from what was saved.
 */
export function createWatcher({ store, observer, clock, flush, written, trouble }: WatcherOptions): Service {
  /** Open incidents, those that ended a short time ago, and the newest of each cause. Null until they were read. */
  let known: Map<string, Incident> | null = null;
  /** The turn under which this process saves. A process that no longer leads, and does not know it yet, saves nothing. */
  let turn = '';
  let sweptAt = 0;
  const recurring = new Recurring({ clock, every: EVERY_MS, trouble, run: look });

  async function look(): Promise<void> {
    await flush();
    const settings = (await store.settings()) ?? NO_ALERT_SETTINGS;
    known ??= await read();
    const before = [...known.values()];
    const observed = await observer.observe(settings, clock.now());
    const now = clock.now();
    const snoozes = await store.snoozes();
    const evaluated = evaluate(observed, before, now, { quiet: parseDuration(settings.endsAfter) ?? 0, snoozes });
    const changes = await withSamples(evaluated);
    const notices = announce(changes, settings.addresses, before, now);
    const changed = changes.map(({ incident }) => incident);
    try {
      if (!(await store.save(changed, notices, turn))) {
        // Should this process lead all the same, its next look begins a turn.
        known = null;
        return;
      }
    } catch (error) {
      // The save may have succeeded although its answer was lost: read again.
      known = null;
      written();
      throw error;
    }
    written();
    for (const incident of changed) known.set(incident.id, incident);
    known = inMind([...known.values()], now);
    if (now - sweptAt >= SWEEP_MS || changed.some(({ state }) => state === 'ended')) await sweep(now);
  }

  /** One query at a time, and at most `MOST_SAMPLES`: thousands may fail at once, and pages of the interface use the same database connections. */
  async function withSamples(changes: readonly Change[]): Promise<readonly Change[]> {
    const wanting = changes.filter(({ incident: { subject, sample, state, rule } }) => {
      return subject.kind === 'destination' && sample === null && state !== 'ended' && rule !== 'certificate';
    });
    const samples = new Map<Change, Incident['sample']>();
    for (const change of wanting.slice(0, MOST_SAMPLES))
      samples.set(change, await observer.sampleOf(change.incident.subject.id));
    return changes.map((change) => {
      const sample = samples.get(change);
      return sample ? { ...change, incident: { ...change.incident, sample } } : change;
    });
  }

  async function read(): Promise<Map<string, Incident>> {
    turn = randomUUID();
    await store.begin(turn);
    return inMind(await store.incidents(), clock.now());
  }

  /** Deletes incidents that ended long ago, and the oldest if there are too many. */
  async function sweep(now: number): Promise<void> {
    const ended = (await store.incidents('ended')).toSorted((a, b) => Number(b.endedAt) - Number(a.endedAt));
    const old = ended.filter(({ endedAt }, place) => place >= MOST_ENDED || now - Number(endedAt) > KEPT_MS);
    await store.forget(old.map(({ id }) => id));
    sweptAt = now;
  }

  return {
    start() {
      known = null;
      return recurring.start();
    },
    stop: () => recurring.stop(),
  };
}

function inMind(incidents: readonly Incident[], now: number): Map<string, Incident> {
  const newest = new Set(newestOf(incidents).values());
  const isInMind = (incident: Incident): boolean =>
    incident.endedAt === null || now - incident.endedAt < IN_MIND_MS || newest.has(incident);
  return new Map(incidents.filter(isInMind).map((incident) => [incident.id, incident]));
}
