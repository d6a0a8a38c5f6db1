import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newId } from './admin/ids.ts';
import type { DeliveryResult } from './core/delivery.ts';
import { hasUrl } from './core/destination.ts';
import { standsStill } from './core/hold.ts';
import { isLoopbackHost } from './core/loopback.ts';
import { reasonParts } from './core/reason.ts';
import { quotaOf } from './core/source.ts';
import { Deliverer } from './deliver/deliverer.ts';
import { Reach } from './deliver/reach.ts';
import type { RetryPolicy } from './deliver/schedule.ts';
import { createOpenSender } from './deliver/send.ts';
import type { OpenSender, SourceTypeOf } from './deliver/sender.ts';
import type { Ground } from './ground.ts';
import { DeliveryTrouble } from './observe/delivery-trouble.ts';
import type { Logger } from './observe/logger.ts';
import type { Metrics } from './observe/metrics.ts';
import { onceAMinute } from './observe/once-a-minute.ts';
import { PeerNews } from './peer-news.ts';
import { DayCounts } from './record/day-counts.ts';
import { Recorder } from './record/recorder.ts';
import { RejectionGroups } from './record/rejection-groups.ts';
import { leavesFailed, Replays } from './record/replay.ts';
import { StatsCounter } from './record/stats.ts';

/** The parts that record results and counts. */
export interface Recording {
  readonly recorder: Recorder;
  readonly stats: StatsCounter;
  readonly days: DayCounts;
  readonly rejectionGroups: RejectionGroups;
  /** What delivering could not read or record. */
  readonly deliveryTrouble: DeliveryTrouble;
}

export function openRecording({ store, clock, settings, rejections, health, logger }: Ground): Recording {
  const failed = (what: string) => (error: unknown) => logger.error({ err: error }, `${what}; trying again`);
  const stats = new StatsCounter({ store: store.stats, clock, failed: failed('statistics could not be written') });
  const deliveryTrouble = new DeliveryTrouble({
    now: () => clock.now(),
    log: (fields, message) => logger.error(fields, message),
  });
  health.add('notice', 'deliveries', () => deliveryTrouble.words());
  const unrecorded = (error: unknown): void => deliveryTrouble.failed('deliveries could not be recorded', error);
  return {
    recorder: new Recorder(store.deliveries, unrecorded, { clock, linger: store.linger }),
    deliveryTrouble,
    stats,
    days: new DayCounts({
      store: store.stats,
      flush: () => stats.flush(),
      clock,
      sourceIds: () =>
        settings.sources().flatMap((source) => (quotaOf(source).eventsPerDay === null ? [] : [source.id])),
      failed: failed('the events of the day could not be counted'),
    }),
    rejectionGroups: new RejectionGroups({
      store: store.rejections,
      refused: rejections,
      clock,
      failed: failed('refused calls could not be written'),
    }),
  };
}

/** The parts that deliver, and the addresses they may send to. */
export interface Delivery {
  readonly deliverer: Deliverer;
  readonly replays: Replays;
  readonly peers: PeerNews;
  readonly reach: Reach;
  readonly openSender: OpenSender;
  /** The default schedule of retries; a destination may have its own. */
  readonly retry: RetryPolicy;
  readonly sourceTypeOf: SourceTypeOf;
  /**
   * Allows addresses of this machine until the process ends. After the next start, deliveries that this allowed are held until it
   * is allowed again. Answers false if the settings do not permit it.
   */
  allowLoopback(): boolean;
}

/** `settled` is called once for each message that has its final result. */
export function openDelivery(
  ground: Ground,
  { recorder, stats, deliveryTrouble }: Recording,
  settled: (result: DeliveryResult) => void,
): Delivery {
  const { store, clock, settings, metrics, config, logger } = ground;
  const sourceTypeOf = (id: string): string => settings.source(id)?.type ?? 'unknown';
  const isLocal = config.databaseUrl === null && isLoopbackHost(config.host);
  const allowedHere = join(config.dataDir, 'loopback-allowed');
  const wasAllowed = isLocal && existsSync(allowedHere);
  const reach = new Reach({ allowPrivate: config.allowPrivateUrls, isLocal, wasAllowed });
  const openSender = createOpenSender({
    ...{ clock, timeout: config.deliveryTimeout, reach, sourceTypeOf },
    connections: config.maxConcurrency,
  });
  const peers = new PeerNews(store.peers);
  const timeouts = onceAMinute(() => clock.now());
  const retry = { base: config.retryBase, cap: config.retryCap, window: config.retryWindow };
  const deliverer = new Deliverer({
    log: store.log,
    settings,
    clock,
    openSender,
    claims: store.deliveries,
    hasten: (...of) => store.deliveries.hasten(...of),
    record: (result, recorded) => recorder.record(result, recorded),
    flush: () => recorder.flush(),
    holds: (destination) => reach.holds(destination),
    policy: retry,
    maxConcurrency: config.maxConcurrency,
    retention: config.retention,
    peers: {
      ...{ count: () => peers.count(), tell: (destinationId, news) => peers.tellOf(destinationId, news) },
      ...{ isCurrent: () => store.peers.isCurrent(), caughtUp: () => store.peers.caughtUp() },
    },
    gracePeriod: store.gracePeriod,
    leadAfter: store.leadAfter,
    stopTime: config.stopTimeout / 2,
    drainTime: Math.min(config.deliveryTimeout * 2, config.stopTimeout / 2),
    random: Math.random,
    meter: {
      attempted(destinationId, outcome, ms) {
        metrics.attempted(destinationId, outcome.class, ms);
        const requests = outcome.error === 'timeout' ? timeouts(destinationId) : null;
        if (requests !== null) logger.warn({ destinationId, requests }, 'a destination did not answer in time');
      },
      settled(result) {
        stats.settled(result);
        note(result, metrics, logger);
        settled(result);
      },
    },
    report: (error, destinationId) => deliveryTrouble.failed('deliveries cannot be read', error, destinationId),
  });
  watchDeliveries(ground, deliverer);
  return {
    ...{ deliverer, retry, replays: openReplays(ground, stats, deliverer), peers, reach, openSender, sourceTypeOf },
    allowLoopback() {
      const isAllowed = reach.allowLoopback();
      if (isAllowed) writeFileSync(allowedHere, '');
      deliverer.resume();
      return isAllowed;
    },
  };
}

function openReplays({ store, clock, settings, logger }: Ground, stats: StatsCounter, deliverer: Deliverer): Replays {
  return new Replays({
    store: store.deliveries,
    clock,
    newId: () => newId('rpl'),
    async scopeOf({ destinationId, state, webhookId }) {
      const destination = settings.destination(destinationId);
      if (!destination?.enabled || (webhookId && !hasUrl(destination, webhookId))) return null;
      const { sourceIds } = destination;
      const scope = { leavesFailed: leavesFailed(destination, webhookId), connectedIds: sourceIds };
      if (state === 'all') return { ...scope, sourceIds };
      const open = await store.log.lanes();
      const theirs = open.filter((lane) => lane.destinationId === destinationId).map((lane) => lane.sourceId);
      return { ...scope, sourceIds: [...new Set(theirs)] };
    },
    exists: (destinationId) => settings.destination(destinationId) !== undefined,
    undone: (destinationId, ends) => stats.undone(destinationId, ends),
    wake: (destinationId) => deliverer.wake(destinationId),
    lookEvery: store.lookEvery,
    log: logger,
  });
}

function watchDeliveries({ store, settings, metrics }: Ground, deliverer: Deliverer): void {
  const ids = (): string[] => settings.destinations().map(({ id }) => id);
  metrics.watchLanes(async () =>
    (await store.deliveries.counts(ids())).map(({ destinationId, counts }) => ({ destinationId, ...counts })),
  );
  metrics.watchSending(() =>
    settings.destinations().flatMap((destination) => {
      const { id } = destination;
      const status = deliverer.status(id);
      return status ? [{ destinationId: id, isPaused: standsStill(destination), ...status }] : [];
    }),
  );
}

/** Counts a result of a delivery, and writes its log line. */
function note(result: DeliveryResult, metrics: Metrics, logger: Logger): void {
  const { entry, destinationId, state, reason, rounds, attempts, at } = result;
  metrics.settled(destinationId, state);
  if (state === 'processed') metrics.processedAfter(at - entry.receivedAt);
  const level = state === 'failed' ? 'warn' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  const { sourceId, messageId, type } = entry;
  const tried = attempts.map(({ status, error, ms }) => ({ status, error, ms }));
  logger[level](
    { destinationId, sourceId, messageId, type, state, ...reasonParts(reason), rounds, attempts: tried },
    'delivery',
  );
}
