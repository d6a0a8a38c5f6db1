import { randomBytes } from 'node:crypto';
import { AcceptanceRate } from './acceptance-rate.ts';
import { type Accounts, accountUpkeep, createAccounts, RECORDS_KEPT } from './accounts/accounts.ts';
import { newId, newWriteKey } from './admin/ids.ts';
import { keepToken } from './admin-token.ts';
import { openAlerting } from './alerting.ts';
import type { OwnCalls } from './collect/collector.ts';
import { openCollection } from './collection.ts';
import type { Config } from './config.ts';
import { Parts } from './core/parts.ts';
import { inTurn } from './core/service.ts';
import { type Delivery, openDelivery, openRecording, type Recording } from './delivering.ts';
import { type Ground, openGround } from './ground.ts';
import type { Logger } from './observe/logger.ts';
import { holds } from './observe/rejections.ts';
import { People } from './people/people.ts';
import type { LostMessages } from './record/contract.ts';
import { RetentionService } from './record/retention.ts';
import { refusalNews } from './refusal-news.ts';
import { Compaction } from './regulations/compaction.ts';
import { Regulations } from './regulations/regulations.ts';
import { type Answering, openServers, type Servers } from './serving.ts';
import { releaseWhenQuiet } from './threads/quiet.ts';

export interface StartOptions {
  /** Start although files of the data folder are missing, and record their content as lost. Default false. */
  readonly acceptLoss?: boolean;
}

export interface App {
  /** `http://HOST:PORT` */
  readonly url: string;
  /** Address of /metrics and /health; null if they have no port of their own. */
  readonly managementUrl: string | null;
  /** The new admin token, if this start made one: only then may it be printed. Else null. */
  readonly newToken: string | null;
  /** Whether any account exists. */
  readonly hasAccounts: boolean;
  /** Makes the path of a link that signs in as admin once, within an hour: `/sign-in#link=…`. */
  makeSignInPath(): string;
  readonly people: People;
  /**
   * Drains and closes everything. A second call waits for the first.
   *
   * @throws Error naming what could not be closed or written; everything else is closed.
   */
  stop(): Promise<void>;
  /** Name of the part that the stop is waiting for. */
  closing(): string;
}

/** Delete notices are checked at least this often, milliseconds: if their destination was deleted, no result is reported. */
const LOOK_MS = 60_000;

/**
 * The composition root. Opens the stages from the last to the first, so that each finds the next one ready; closes them in
 * reverse. When it resolves, the service accepts requests.
 *
 * @throws Error if the data folder, the servers of a cluster or the address can't be used; then nothing is left open.
 */
export async function startApp(
  config: Config,
  logger: Logger,
  { acceptLoss = false }: StartOptions = {},
): Promise<App> {
  const parts = new Parts();
  const keepMemory = releaseWhenQuiet(() => undefined);
  parts.opened('memory', async () => keepMemory());
  // Called after the stores are closed: closing tries to write a last time.
  let unwritten = (): number => 0;
  parts.opened('outcomes', async () => {
    const outcomes = unwritten();
    if (outcomes > 0)
      throw new Error(`${outcomes} outcomes of deliveries were not written, so these messages are sent again`);
  });
  try {
    const lost = (messages: LostMessages): void => noteLost(ground, recording, messages);
    const ground = await openGround({ config, logger, parts, acceptLoss, lost });
    const recording = openRecording(ground);
    unwritten = () => recording.recorder.pending;
    const delivery = openDelivery(ground, recording, (result) => regulations.settled(result));
    const collection = openCollection(ground, recording);
    const people = openPeople(ground, collection.ownCalls);
    const regulations = openRegulations(ground, recording, delivery, people);
    const compaction = openCompaction(ground, regulations, people);
    const accounts = openAccounts(ground);
    const alerting = openAlerting(ground, recording, delivery, collection);
    const acceptanceRate = openAcceptanceRate(ground, recording, delivery);
    const services = { people, regulations, compaction, accounts, acceptanceRate };
    const stages = { ...recording, ...delivery, ...collection, ...alerting, ...services };
    const servers = await openServers(ground, stages);
    follow(ground, stages);
    let isStarting = true;
    let stopping: Promise<void> | undefined;
    ground.health.add('ready', 'stopping', () => {
      // A caller that has waited for `ready` finds the file of the admin token.
      if (isStarting) return 'the service is starting';
      return stopping ? 'the service is stopping' : null;
    });
    await begin(ground, stages, servers);
    const newToken = ground.store.adminToken.made;
    if (newToken !== null && config.databaseUrl === null) await keepToken(config.dataDir, newToken);
    isStarting = false;
    return {
      url: servers.server.listeningOrigin,
      managementUrl: servers.management?.listeningOrigin ?? null,
      newToken,
      hasAccounts: (await accounts.people.list()).length > 0,
      makeSignInPath: () => accounts.link.make(),
      people,
      stop: () => (stopping ??= parts.close()),
      closing: () => parts.closing,
    };
  } catch (error) {
    await parts.close().catch((failed: unknown) => logger.error({ err: failed }, 'the stop after a failed start'));
    throw error;
  }
}

function noteLost({ metrics, logger }: Ground, { stats }: Recording, messages: LostMessages): void {
  metrics.settled(messages.destinationId, 'failed', messages.messages);
  stats.failed(messages.sourceId, messages.destinationId, messages.messages);
  logger.error(messages, 'messages failed: their turn did not come as long as NATS kept them');
}

function openPeople({ config, store, clock, settings, metrics, health, logger }: Ground, collect: OwnCalls): People {
  const people = new People({
    log: store.log,
    settings,
    caughtUp: () => store.peers.caughtUp(),
    threads: store.people.threads,
    collect,
    end: () => store.erasure.end(),
    shards: store.shards,
    rest: store.rest,
    keep: config.peopleRetention,
    clock,
    newId,
    newWriteKey,
    gracePeriod: store.gracePeriod,
    report: (error, what) => logger.error({ err: error }, `people: ${what}`),
    ...(store.watchPeople && { watch: store.watchPeople }),
  });
  metrics.watchProfiles(() => people.observed());
  health.add('notice', 'people', () => people.trouble());
  return people;
}

function openRegulations(
  { store, clock, settings, suppressions, rejections, trouble }: Ground,
  { rejectionGroups }: Recording,
  { deliverer, replays, peers }: Delivery,
  people: People,
): Regulations {
  return new Regulations({
    store: store.regulations,
    erasure: store.erasure,
    suppressions,
    log: store.log,
    deliveriesOf: (position) => store.deliveries.deliveriesOf(position),
    isDelivered: (sourceId) =>
      settings.destinations().some(({ enabled, sourceIds }) => enabled && sourceIds.includes(sourceId)),
    profiles: people,
    withdraw: (positions) => deliverer.withdraw(positions),
    removers: [
      (users) => replays.forgetUsers(users),
      async (users) => {
        // What other nodes write or tell after this names none of them.
        await peers.forget(users);
        rejections.erase(users);
        await rejectionGroups.erase((example) => holds(example, users));
      },
    ],
    lookEvery: store.lookEvery ?? LOOK_MS,
    clock,
    newId: () => newId('reg'),
    trouble: trouble('deletions', 'a deletion could not go on'),
  });
}

function openCompaction(
  { config, store, clock, trouble }: Ground,
  regulations: Regulations,
  people: People,
): Compaction {
  return new Compaction({
    store: store.regulations,
    regulations,
    purge: (signal) => store.erasure.purge(signal),
    purgeProfiles: (signal) => people.compact(signal),
    at: config.compaction,
    keep: RECORDS_KEPT,
    clock,
    trouble: trouble('compaction', 'files that may hold deleted users could not be written anew'),
  });
}

function openAccounts({ store, clock, logger }: Ground): Accounts {
  const adminTokenHash = store.adminToken.hash;
  return createAccounts({ store: store.accounts, clock, random: randomBytes, newId, adminTokenHash, log: logger });
}

function openAcceptanceRate({ store, clock }: Ground, { stats }: Recording, { peers }: Delivery): AcceptanceRate {
  return new AcceptanceRate({
    clock,
    own: () => stats.perSecond(),
    peers,
    every: store.lookEvery,
  });
}

/** From now on follows what other nodes do. */
function follow(
  { store, settings, suppressions, rejections, parts }: Ground,
  { people, regulations, compaction, deliverer, peers, acceptanceRate }: Answering,
): void {
  const ends = [
    settings.follow(),
    people.follow(),
    store.regulations.watch?.(async () => {
      await suppressions.load();
      regulations.follow();
      compaction.follow();
    }),
    store.erasure.watch?.((positions) => deliverer.withdraw(positions)),
  ];
  parts.opened('following the stores', async () => {
    for (const end of ends) end?.();
  });
  peers.hear({
    told: (destinationId, news) => deliverer.told(destinationId, news),
    forget: (users) => (users === null ? rejections.eraseAll() : rejections.erase(users)),
    refused: (refusal) => rejections.told(refusal),
    rate: (node, perSecond) => acceptanceRate.told(node, perSecond),
    missed: () => rejections.eraseAll(),
  });
}

/** Starts the running parts, the last stage first; the ports last. */
async function begin(
  { config, logger, store, clock, rejections, parts, trouble }: Ground,
  stages: Answering,
  { server, management }: Servers,
): Promise<void> {
  const { people, regulations, compaction } = stages;
  const wake = (destinationId: string): void => stages.deliverer.wake(destinationId);
  const retention = new RetentionService({
    store: store.retention,
    takenIn: () => people.takenIn(),
    clock,
    keep: config.retention,
    log: logger,
    trouble: trouble('retention', 'old data could not be dropped'),
  });
  const upkeep = accountUpkeep(
    store.accounts,
    clock,
    trouble('upkeep', 'old sessions and audit entries could not be dropped'),
  );
  await parts.begin('statistics', stages.stats);
  await parts.begin('refused calls', stages.rejectionGroups);
  await parts.begin('the counts of the day', stages.days);
  await parts.begin('the rate of all nodes', stages.acceptanceRate);
  if (config.databaseUrl === null) await parts.begin('the watch of the disk', stages.disk);
  else await parts.begin('news of refused calls', refusalNews({ clock, refused: rejections, peers: stages.peers }));
  await parts.begin('deliveries', stages.deliverer);
  await parts.begin('the retry queues', store.retryQueues(wake));
  await parts.begin('order of users', store.led('order', stages.deliverer.lead));
  await parts.begin('replays', store.led('replays', stages.replays));
  await parts.begin('people', store.led('people', inTurn([store.formerLanes, people, regulations, compaction])));
  await parts.begin('retention', store.led('retention', retention));
  await parts.begin('accounts', store.led('accounts', upkeep, { needsLog: false }));
  await parts.begin('alerts', store.led('alerts', stages.alerts, { needsLog: false }));
  // Opened first, so closed last: it still reports the stop while running calls are answered.
  if (management !== null) {
    parts.opened('the management port', () => management.close());
    await management.listen({ host: config.managementHost ?? config.host, port: config.managementPort ?? 0 });
  }
  parts.opened('the server', () => server.close());
  await server.listen({ host: config.host, port: config.port, backlog: 4096 });
  // Opened last, so aborted first: a stop must not wait for a long backup.
  parts.opened('backups', () => store.backups.stop());
}
