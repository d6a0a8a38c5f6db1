import { newId, newWriteKey } from './admin/ids.ts';
import { adminApi } from './admin/plugin.ts';
import { type AdminToken, adminToken } from './admin-token.ts';
import { createCollector } from './collect/collector.ts';
import { collectRoutes } from './collect/routes.ts';
import type { Config } from './config.ts';
import { type Clock, systemClock } from './core/clock.ts';
import type { Settlement } from './core/delivery.ts';
import { type Lane, PEOPLE } from './core/lane.ts';
import type { Service } from './core/service.ts';
import { checkUrl } from './deliver/address.ts';
import { Deliverer } from './deliver/deliverer.ts';
import { checkHeaders } from './deliver/headers.ts';
import { createOpenSender } from './deliver/send.ts';
import { createServer } from './http/server.ts';
import { Health } from './observe/health.ts';
import type { Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { Rejections } from './observe/rejections.ts';
import { People } from './people/people.ts';
import { openPeopleThreads } from './people-threads.ts';
import { Recorder } from './record/recorder.ts';
import { Replays } from './record/replay.ts';
import { RetentionService } from './record/retention.ts';
import { Settings } from './settings/settings.ts';
import { openSqliteStore } from './stores/sqlite/store.ts';
import { createTestMessage } from './test-message.ts';

export interface App {
  /** `http://HOST:PORT` */
  readonly url: string;
  readonly adminToken: AdminToken;
  readonly people: People;
  /** Drains and closes everything; a second call waits for the first. */
  stop(): Promise<void>;
}

/** Partitions are so long that about a seventh of what is kept goes at a time, and a day at most. */
const DAY = 24 * 60 * 60 * 1000;

/**
 * The composition root: opens the parts in the order of the arrow's end to its beginning, so that whatever a part hands
 * on is taken, and closes them in reverse. When it resolves, the service serves.
 *
 * @throws Error when the data folder or the address can't be used; then nothing is left open.
 */
export async function startApp(config: Config, logger: Logger, clock: Clock = systemClock): Promise<App> {
  const metrics = new Metrics();
  const rejections = new Rejections();
  const health = new Health(clock);
  const opened: Service['stop'][] = [];
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    for (let close = opened.pop(); close; close = opened.pop()) await close();
  };
  const begin = async (service: Service): Promise<void> => {
    opened.push(() => service.stop());
    await service.start();
  };

  try {
    const store = await openSqliteStore({
      dataDir: config.dataDir,
      clock,
      partitionLength: Math.min(DAY, Math.ceil(config.retention / 7)),
      onCommit: (ms, rows) => metrics.committed(ms, rows),
    });
    opened.push(() => store.close());
    const token = await adminToken(config.adminToken, config.dataDir);
    const settings = new Settings(store.settings, {
      openLane: (sourceId, destinationId) => store.log.openLane(sourceId, destinationId),
      readersOf: ({ sentBy }) => (sentBy === undefined ? [PEOPLE] : []),
    });
    await settings.load();

    // What people/ reads is no destination's: nobody delivers it, counts it or shows it.
    const lanes = async (): Promise<readonly Lane[]> =>
      (await store.log.lanes()).filter(({ destinationId }) => destinationId !== PEOPLE);

    const openSender = createOpenSender({
      clock,
      timeout: config.deliveryTimeout,
      connections: config.maxConcurrency,
      allowPrivate: config.allowPrivateUrls,
    });
    const recorder = new Recorder(
      store.deliveries,
      (error) => logger.error({ err: error }, 'deliveries could not be recorded; trying again'),
      clock,
    );
    const deliverer = new Deliverer({
      log: {
        lanes,
        read: (id) => store.log.read(id),
        endLane: (id) => store.log.endLane(id),
        removeLane: (id) => store.log.removeLane(id),
      },
      settings,
      clock,
      openSender,
      claims: store.deliveries,
      record: (settlement, recorded) => recorder.record(settlement, recorded),
      flush: () => recorder.flush(),
      policy: { base: config.retryBase, cap: config.retryCap, window: config.retryWindow },
      maxConcurrency: config.maxConcurrency,
      drainTime: config.deliveryTimeout * 2,
      random: Math.random,
      meter: {
        attempted: (destinationId, outcome, ms) => metrics.attempted(destinationId, outcome.class, ms),
        settled: (settlement) => note(settlement, metrics, logger),
      },
      report: (error, destinationId) =>
        logger.error({ err: error, destinationId }, 'delivery cannot read or record; trying again'),
    });
    const replays = new Replays({
      store: store.deliveries,
      clock,
      newId: () => newId('rpl'),
      async sourceIdsOf(destinationId, state) {
        const destination = settings.destination(destinationId);
        if (!destination || state === 'all') return destination?.sourceIds ?? null;
        const open = await lanes();
        return [...new Set(open.filter((lane) => lane.destinationId === destinationId).map((lane) => lane.sourceId))];
      },
      wake: (destinationId) => deliverer.wake(destinationId),
      log: logger,
    });

    const server = createServer({ logger, trustProxy: config.trustProxy.length > 0 ? [...config.trustProxy] : false });
    const collect = createCollector({
      append: (events) => store.log.append(events),
      sourceByWriteKey: (key) => settings.sourceByWriteKey(key),
      clock,
      rejections,
      meter: metrics,
    });
    await server.register(collectRoutes, {
      collect,
      sourceByWriteKey: (key) => settings.sourceByWriteKey(key),
    });
    const peopleThreads = openPeopleThreads(config.dataDir);
    opened.push(() => peopleThreads.close());
    const people = new People({
      log: store.log,
      settings,
      engine: peopleThreads.engine,
      queries: peopleThreads.queries,
      collect,
      clock,
      newId,
      newWriteKey,
      report: (error, what) => logger.error({ err: error }, `people: ${what}; trying again`),
    });
    const testMessage = createTestMessage(clock, openSender);
    await server.register(adminApi, {
      token: token.value,
      clock,
      settings,
      log: {
        find: (messageId, sourceIds) => store.log.find(messageId, sourceIds),
        totals: () => store.log.totals(),
        lanes,
      },
      deliveries: store.deliveries,
      replays,
      rejections,
      sendTest: testMessage,
      checkUrl: (url) => checkUrl(url, { allowPrivate: config.allowPrivateUrls }),
      checkHeaders,
      destinationStatus: (id) => deliverer.status(id) ?? null,
      health,
      metrics,
    });

    metrics.watchLanes(async () => {
      const counts = settings.destinations().map(async ({ id }) => {
        const lanes = await store.deliveries.counts(id);
        return lanes.map((lane) => ({ destinationId: id, ...lane.counts }));
      });
      return (await Promise.all(counts)).flat();
    });
    metrics.watchSending(() =>
      settings.destinations().flatMap(({ id }) => {
        const status = deliverer.status(id);
        return status ? [{ destinationId: id, ...status }] : [];
      }),
    );
    health.addLive('storage threads', () => store.broken() ?? peopleThreads.broken());
    health.addReady('storage', () => store.trouble());
    health.addReady('stopping', () => (stopping ? 'the service is stopping' : null));
    settings.onChange(() => rejections.retain((id) => settings.source(id) !== undefined));

    await begin(deliverer);
    await begin(replays);
    await begin(people);
    await begin(new RetentionService({ store: store.retention, clock, keep: config.retention, log: logger }));
    opened.push(() => server.close());
    await server.listen({ host: config.host, port: config.port, backlog: 4096 });
    return { url: server.listeningOrigin, adminToken: token, people, stop: once(stop) };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Counts a settlement, and writes its one wide line. */
function note(settlement: Settlement, metrics: Metrics, logger: Logger): void {
  const { entry, destinationId, state, reason, rounds, attempts, at } = settlement;
  metrics.settled(destinationId, state);
  if (state === 'processed') metrics.processedAfter(at - entry.receivedAt);
  const level = state === 'failed' ? 'warn' : 'debug';
  if (!logger.isLevelEnabled(level)) return;
  const { sourceId, messageId, type } = entry;
  const tried = attempts.map(({ status, error, ms }) => ({ status, error, ms }));
  logger[level]({ destinationId, sourceId, messageId, type, state, reason, rounds, attempts: tried }, 'delivery');
}

function once(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  return () => (stopping ??= stop());
}
