import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAccounts } from './accounts/accounts.ts';
import { addressKey } from './accounts/attempts.ts';
import { AccountUpkeep } from './accounts/upkeep.ts';
import { newId, newWriteKey } from './admin/ids.ts';
import { adminApi, probes } from './admin/plugin.ts';
import { Admission } from './collect/admission.ts';
import { browserScript } from './collect/browser-script.ts';
import { type CallNeeds, createCollector, createOwnCalls } from './collect/collector.ts';
import { collectionUrl } from './collect/paths.ts';
import { collectRoutes } from './collect/routes.ts';
import { type Config, settingsOf } from './config.ts';
import type { Settlement } from './core/delivery.ts';
import { type Lane, PEOPLE } from './core/lane.ts';
import { isLoopbackHost } from './core/loopback.ts';
import { Parts } from './core/parts.ts';
import { inTurn } from './core/service.ts';
import { quotaOf, type Source } from './core/source.ts';
import { SteadyClock } from './core/steady-clock.ts';
import { checkUrl } from './deliver/address.ts';
import { Deliverer } from './deliver/deliverer.ts';
import { checkHeaders } from './deliver/headers.ts';
import { createInspect } from './deliver/inspect.ts';
import { Reach } from './deliver/reach.ts';
import { createOpenSender } from './deliver/send.ts';
import { createServer } from './http/server.ts';
import { uiRoutes } from './http/ui.ts';
import { clockWords, DISK_IS_SHORT, lossWords } from './notices.ts';
import { DiskRoom } from './observe/disk-room.ts';
import { Health } from './observe/health.ts';
import type { Logger } from './observe/logger.ts';
import { Metrics } from './observe/metrics.ts';
import { holds, Rejections } from './observe/rejections.ts';
import { Timeouts } from './observe/timeouts.ts';
import { PeerNews } from './peer-news.ts';
import { namesNobody } from './people/identity-rules.ts';
import { People } from './people/people.ts';
import { DayCounts } from './record/day-counts.ts';
import { Recorder } from './record/recorder.ts';
import { RejectionGroups } from './record/rejection-groups.ts';
import { Replays } from './record/replay.ts';
import { RetentionService } from './record/retention.ts';
import { StatsCounter } from './record/stats.ts';
import { Regulations } from './regulations/regulations.ts';
import { Suppressions } from './regulations/suppressions.ts';
import { Settings } from './settings/settings.ts';
import { openStores, rulesOf } from './stores.ts';
import { createTestMessage, readTestCall } from './test-message.ts';
import { releaseWhenQuiet } from './threads/quiet.ts';

export interface StartOptions {
  /** Go on without files of the data folder that are missing, and write off what was in them; default false. */
  readonly acceptLoss?: boolean;
}

export interface App {
  /** `http://HOST:PORT` */
  readonly url: string;
  /** Where /metrics and /health are; null when they have no port of their own. */
  readonly managementUrl: string | null;
  /** The admin token, on the start that made it: the only time it may be printed. Null otherwise. */
  readonly newToken: string | null;
  /** Whether somebody has an account. */
  readonly hasAccounts: boolean;
  /** Makes a path that signs in as admin once, within an hour: `/sign-in#link=…`. */
  makeSignInPath(): string;
  readonly people: People;
  /**
   * Drains and closes everything; a second call waits for the first.
   *
   * @throws Error naming what could not be closed or written; everything else is closed.
   */
  stop(): Promise<void>;
  /** What the stop waits for. */
  closing(): string;
}

/** The built interface: beside the compiled sources where they are published, in its own package in a working copy. */
const UI = join(import.meta.dirname, existsSync(join(import.meta.dirname, 'ui')) ? 'ui' : '../../ui/dist');

/** The client for browsers, which is built with the interface. */
const BROWSER_SCRIPT = join(UI, 'browser');

/** Delete notices are looked at this often though nobody has said that they ended: their destination may be gone. */
const LOOK_MS = 60_000;

/**
 * The composition root: opens the parts in the order of the arrow's end to its beginning, so that whatever a part hands
 * on is taken, and closes them in reverse. When it resolves, the service serves.
 *
 * @throws Error when the data folder, the servers of a cluster or the address can't be used; then nothing is left open.
 */
export async function startApp(
  config: Config,
  logger: Logger,
  { acceptLoss = false }: StartOptions = {},
): Promise<App> {
  const metrics = new Metrics();
  const rejections = new Rejections();
  let clockIsAhead = 0;
  const own = new SteadyClock({
    // The nodes of a cluster go by the database's time.
    follows: config.databaseUrl === null,
    told(ms) {
      clockIsAhead = Math.max(0, -ms);
      logger.warn({ ms }, clockWords(ms));
    },
  });
  const health = new Health(own);
  const parts = new Parts();
  const keepMemory = releaseWhenQuiet(() => undefined);
  parts.opened('memory', async () => keepMemory());
  let stopping = false;
  const stop = (): Promise<void> => {
    stopping = true;
    return parts.close();
  };
  // Asked when the stores are closed, which try a last time.
  let unwritten = (): number => 0;
  parts.opened('outcomes', async () => {
    const outcomes = unwritten();
    if (outcomes > 0)
      throw new Error(`${outcomes} outcomes of deliveries were not written, so these messages are sent again`);
  });

  try {
    const store = await openStores({
      config,
      clock: own,
      logger,
      acceptLoss,
      onCommit: (ms, rows) => metrics.committed(ms, rows),
      onLost({ sourceId, destinationId, messages }) {
        metrics.settled(destinationId, 'failed', messages);
        stats.failed(sourceId, destinationId, messages);
        const lost = { sourceId, destinationId, messages };
        logger.error(lost, 'messages failed: their turn did not come as long as NATS kept them');
      },
    });
    parts.opened('the stores', () => store.close());
    const { clock } = store;
    const settings = new Settings(
      store.settings,
      {
        openLane: (sourceId, destinationId) => store.log.openLane(sourceId, destinationId),
        readersOf: ({ sentBy }) => (sentBy === undefined ? [PEOPLE] : []),
      },
      clock,
    );
    for (const loss of await store.losses.list()) {
      if (loss.notedAt === null) logger.error(loss, 'events that were confirmed are gone');
    }
    await settings.load();
    const suppressions = new Suppressions(store.regulations);
    await suppressions.load();

    // What people/ reads is no destination's: nobody delivers it, counts it or shows it.
    const lanes = async (): Promise<readonly Lane[]> =>
      (await store.log.lanes()).filter(({ destinationId }) => destinationId !== PEOPLE);

    const sourceTypeOf = (id: string): string => settings.source(id)?.type ?? 'unknown';
    const isLocal = config.databaseUrl === null && isLoopbackHost(config.host);
    const allowedHere = join(config.dataDir, 'loopback-allowed');
    const reach = new Reach({
      allowPrivate: config.allowPrivateUrls,
      isLocal,
      wasAllowed: isLocal && existsSync(allowedHere),
    });
    const sending = { clock, timeout: config.deliveryTimeout, reach, sourceTypeOf };
    const openSender = createOpenSender({ ...sending, connections: config.maxConcurrency });
    const peers = new PeerNews(store.peers);
    const stats = new StatsCounter({
      store: store.stats,
      clock,
      failed: (error) => logger.error({ err: error }, 'statistics could not be written; trying again'),
    });
    const rejectionGroups = new RejectionGroups({
      store: store.rejections,
      refused: rejections,
      keep: config.retention,
      clock,
      failed: (error) => logger.error({ err: error }, 'refused calls could not be written; trying again'),
    });
    const recorder = new Recorder(
      store.deliveries,
      (error) => logger.error({ err: error }, 'deliveries could not be recorded; trying again'),
      { clock, gather: store.gather },
    );
    unwritten = () => recorder.pending;
    const timeouts = new Timeouts(
      () => clock.now(),
      (destinationId, requests) => logger.warn({ destinationId, requests }, 'a destination did not answer in time'),
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
      holds: (destination) => reach.holds(destination),
      policy: { base: config.retryBase, cap: config.retryCap, window: config.retryWindow },
      maxConcurrency: config.maxConcurrency,
      peers: { count: () => store.peers.count(), tell: (destinationId, news) => peers.tellOf(destinationId, news) },
      patience: store.patience,
      drainTime: Math.min(config.deliveryTimeout * 2, config.stopTimeout / 2),
      random: Math.random,
      meter: {
        attempted(destinationId, outcome, ms) {
          metrics.attempted(destinationId, outcome.class, ms);
          timeouts.attempted(destinationId, outcome);
        },
        settled: (settlement) => {
          stats.settled(settlement);
          note(settlement, metrics, logger);
          regulations.settled(settlement);
        },
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
      undone: (destinationId, ends) => stats.undone(destinationId, ends),
      wake: (destinationId) => deliverer.wake(destinationId),
      lookEvery: store.lookEvery,
      log: logger,
    });

    const trustProxy = config.trustProxy.length > 0 ? [...config.trustProxy] : false;
    const server = createServer({ logger, trustProxy, urlOf: collectionUrl });
    const management = config.managementPort === null ? null : createServer({ logger, trustProxy });
    const days = new DayCounts({
      store: store.stats,
      clock,
      sourceIds: () =>
        settings.sources().flatMap((source) => (quotaOf(source).eventsPerDay === null ? [] : [source.id])),
      failed: (error) => logger.error({ err: error }, 'the events of the day could not be counted; trying again'),
    });
    const disk = new DiskRoom({
      folder: config.dataDir,
      clock,
      changed: (isShort) => (isShort ? logger.error(DISK_IS_SHORT) : logger.info('the disk has room again')),
      failed: (error) => logger.error({ err: error }, 'the room of the disk could not be read; trying again'),
    });
    const admission = new Admission({
      clock,
      nodes: () => store.peers.count(),
      today: (sourceId) => days.today(sourceId),
      addressKey,
      isDiskShort: () => disk.isShort,
    });
    const collecting: CallNeeds = {
      append: (events) => store.log.append(events),
      suppressed: suppressions,
      clock,
      rejections,
      meter: {
        accepted(sourceId, events) {
          metrics.accepted(sourceId, events);
          stats.accepted(sourceId, events);
          days.accepted(sourceId, events);
        },
        duplicates: (sourceId, events) => metrics.duplicates(sourceId, events),
        rejected(sourceId, code) {
          metrics.rejected(sourceId, code);
          if (sourceId !== null) stats.rejected(sourceId);
        },
      },
    };
    const sourceByWriteKey = (key: string): Source | undefined => {
      const source = settings.sourceByWriteKey(key);
      return source?.sentBy === undefined ? source : undefined;
    };
    await server.register(collectRoutes, {
      collect: createCollector({ ...collecting, admission, sourceByWriteKey: (key) => settings.sourceByWriteKey(key) }),
      sourceByWriteKey,
    });
    await server.register(browserScript, { folder: BROWSER_SCRIPT, sourceByWriteKey });
    const ownDoor = createOwnCalls({ ...collecting, source: (id) => settings.source(id) });
    const people = new People({
      log: store.peopleLog,
      settings,
      threads: store.people.threads,
      collect: ownDoor,
      end: () => store.erasure.end(),
      shards: store.shards,
      clock,
      newId,
      newWriteKey,
      patience: store.patience,
      report: (error, what) => logger.error({ err: error }, `people: ${what}`),
      ...(store.watchPeople && { watch: store.watchPeople }),
    });
    const regulations = new Regulations({
      store: store.regulations,
      erasure: store.erasure,
      suppressions,
      log: {
        append: (events) => store.log.append(events),
        find: (messageId, sourceIds) => store.log.find(messageId, sourceIds),
        lanes,
      },
      deliveriesOf: (position) => store.deliveries.deliveriesOf(position),
      isDelivered: (sourceId) =>
        settings.destinations().some(({ enabled, sourceIds }) => enabled && sourceIds.includes(sourceId)),
      profiles: people,
      withdraw: (positions) => deliverer.withdraw(positions),
      removers: [
        (users) => replays.forgetUsers(users),
        async (users) => {
          rejections.erase(users);
          peers.forget(users);
          await rejectionGroups.erase((example) => holds(example, users));
        },
      ],
      lookEvery: store.lookEvery ?? LOOK_MS,
      clock,
      newId: () => newId('reg'),
      report: (error, regulationId) =>
        logger.error({ err: error, regulationId }, 'a regulation could not go on; trying again'),
    });
    const accounts = createAccounts({
      store: store.accounts,
      clock,
      random: randomBytes,
      newId,
      adminTokenHash: store.adminToken.hash,
      log: logger,
    });
    await server.register(adminApi, {
      accounts,
      clock,
      settings,
      log: {
        find: (messageId, sourceIds, owner) => store.log.find(messageId, sourceIds, owner),
        search: (query) => store.log.search(query),
        totals: () => store.log.totals(),
        follow: (signal) => store.log.follow(signal),
        fetch: (positions) => store.log.fetch(positions),
        lanes,
      },
      losses: store.losses,
      backups: store.backups,
      deliveries: store.deliveries,
      stats: store.stats,
      flushStats: () => stats.flush(),
      perSecond: () => stats.perSecond(),
      retention: config.retention,
      replays,
      regulations,
      namesNobody: (id) => namesNobody(id, rulesOf(config)),
      suppressions,
      people,
      collect: ownDoor,
      rejections,
      rejectionGroups,
      readTest: (call) => readTestCall(clock, call),
      sendTest: createTestMessage(clock, openSender, sourceTypeOf),
      inspect: createInspect(sending),
      checkUrl: (url, lookUp) => checkUrl(url, { refusal: (host, address) => reach.refusal(host, address), lookUp }),
      loopback: {
        isAllowed: () => reach.allowsLoopback,
        canBeAllowed: () => reach.canAllowLoopback,
        held: () => settings.destinations().filter((destination) => reach.holds(destination)).length,
        allow() {
          const isAllowed = reach.allowLoopback();
          // The next start holds for what this one allowed.
          if (isAllowed) writeFileSync(allowedHere, '');
          deliverer.resume();
          return isAllowed;
        },
      },
      checkHeaders,
      destinationStatus: (id) => deliverer.status(id) ?? null,
      health,
      metrics,
      processSettings: settingsOf(config),
      probesApart: management !== null,
    });
    await management?.register(probes, { health, metrics });
    await server.register(uiRoutes, { folder: UI });

    metrics.watchLanes(async () => {
      const lanes = await store.deliveries.counts(settings.destinations().map(({ id }) => id));
      return lanes.map(({ destinationId, counts }) => ({ destinationId, ...counts }));
    });
    metrics.watchSending(() =>
      settings.destinations().flatMap(({ id }) => {
        const status = deliverer.status(id);
        return status ? [{ destinationId: id, ...status }] : [];
      }),
    );
    metrics.watchLosses(async () =>
      (await store.losses.list()).map(({ events, notedAt }) => ({ events, noted: notedAt !== null })),
    );
    if (store.backups.directory !== null) metrics.watchBackups(() => store.backups.list());
    metrics.watchProfiles(() => people.state());
    health.addLive('storage threads', () => store.broken());
    metrics.watchStores(() => store.parts().map(({ name, trouble }) => ({ name, isUp: trouble === null })));
    health.addReady('storage', () => store.parts().find(({ trouble }) => trouble !== null)?.trouble ?? null);
    health.addNotice('clock', () => (clockIsAhead === 0 ? null : clockWords(-clockIsAhead)));
    health.addNotice('disk', () => (disk.isShort ? DISK_IS_SHORT : null));
    health.addNotice('losses', async () => lossWords(await store.losses.list()));
    health.addReady('stopping', () => (stopping ? 'the service is stopping' : null));
    const unfollow = [
      settings.follow(),
      people.follow(),
      store.regulations.watch?.(async () => {
        await suppressions.load();
        await regulations.follow();
      }),
      store.erasure.watch?.((positions) => deliverer.withdraw(positions)),
    ];
    parts.opened('following the stores', async () => {
      for (const end of unfollow) end?.();
    });
    peers.hear({
      told: (destinationId, news) => deliverer.told(destinationId, news),
      forget: (users) => (users === null ? rejections.retain(() => false) : rejections.erase(users)),
    });
    settings.onChange(() => {
      const exists = (id: string): boolean => settings.source(id) !== undefined;
      rejections.retain(exists);
      admission.retain(exists);
    });

    await parts.begin('statistics', stats);
    await parts.begin('refused calls', rejectionGroups);
    await parts.begin('the counts of the day', days);
    if (config.databaseUrl === null) await parts.begin('the watch of the disk', disk);
    await parts.begin('deliveries', deliverer);
    await parts.begin(
      'the shelves',
      store.shelves((destinationId) => deliverer.wake(destinationId)),
    );
    await parts.begin('replays', store.led('replays', replays));
    await parts.begin('people', store.led('people', inTurn([people, regulations])));
    const retention = new RetentionService({ store: store.retention, clock, keep: config.retention, log: logger });
    await parts.begin('retention', store.led('retention', retention));
    await parts.begin(
      'accounts',
      store.led('accounts', new AccountUpkeep({ store: store.accounts, clock, log: logger })),
    );
    // First, so that it still tells of a stop while the calls under way are answered.
    if (management !== null) {
      parts.opened('the management port', () => management.close());
      await management.listen({ host: config.managementHost ?? config.host, port: config.managementPort ?? 0 });
    }
    parts.opened('the server', () => server.close());
    await server.listen({ host: config.host, port: config.port, backlog: 4096 });
    // What takes long and would be of no use is not waited for.
    parts.opened('backups', () => store.backups.stop());
    return {
      url: server.listeningOrigin,
      managementUrl: management?.listeningOrigin ?? null,
      newToken: store.adminToken.made,
      hasAccounts: (await accounts.people.list()).length > 0,
      makeSignInPath: () => accounts.link.make(),
      people,
      stop: once(stop),
      closing: () => parts.closing,
    };
  } catch (error) {
    await stop().catch((failed: unknown) => logger.error({ err: failed }, 'the stop after a failed start'));
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
