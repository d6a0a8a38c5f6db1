import { VERSION } from './admin/version.ts';
import { type AdminToken, tokenOfCluster, tokenOfFolder } from './admin-token.ts';
import { sealedAlerts } from './alerts/sealed-store.ts';
import type { Backups } from './backup/contract.ts';
import type { Config } from './config.ts';
import type { Clock } from './core/clock.ts';
import { Fault } from './core/fault.ts';
import { aborted } from './core/pause.ts';
import { Recurring } from './core/recurring.ts';
import type { Service } from './core/service.ts';
import type { EventLog, Losses } from './log/contract.ts';
import type { Logger } from './observe/logger.ts';
import { type IdentityRules, identityRules } from './people/identity-rules.ts';
import { openPeopleThreads, type PeopleThreads } from './people-threads.ts';
import type { DeliveryStore, LostMessages, Retention } from './record/contract.ts';
import type { Erasure } from './regulations/contract.ts';
import { sealedSettings } from './settings/sealed-store.ts';
import type { JetStreamLogOptions } from './stores/jetstream/store.ts';
import type { LeadOptions } from './stores/postgres/leadership.ts';
import type { Peers } from './stores/postgres/peers.ts';
import type { RelationalStores } from './stores/relational/all.ts';
import { tooFewFiles } from './stores/sqlite/open-files.ts';
import { openSqliteStore } from './stores/sqlite/store.ts';

/** All stores of this process: a single process with its files, or a node of a cluster. */
export interface Stores extends RelationalStores {
  /** The clock for all stored times. All nodes have the same time. */
  readonly clock: Clock;
  readonly log: EventLog;
  readonly losses: Losses;
  readonly deliveries: DeliveryStore;
  readonly retention: Retention;
  readonly erasure: Erasure;
  readonly backups: Backups;
  /** The profiles of people. */
  readonly people: PeopleThreads;
  /** Number of shards of the log. */
  readonly shards: number;
  /** Removes the lanes through which an earlier version read the log for people/. people/ continues at their positions. */
  readonly formerLanes: Service;
  /** The longest time that people/ leaves calls in the log while no definition exists, milliseconds. */
  readonly rest: number;
  /**
   * Removes the former content of settings from the files. `rewrites`: they were just changed. Absent in a cluster.
   *
   * @throws Error if the disk is full, or if another process keeps reading `millrace.db`.
   */
  readonly purgeSettings?: (rewrites: boolean) => Promise<void>;
  /** Calls `changed` when another node has changed data of people/. The answer ends that. Absent if there is only one process. */
  readonly watchPeople?: (changed: () => Promise<void>) => () => void;
  readonly adminToken: AdminToken;
  /** The other nodes. */
  readonly peers: Peers;
  /** The longest time that another node's change may still be running, milliseconds; 0 for a single process. */
  readonly gracePeriod: number;
  /** After a node has died, the time until its work may be taken over, milliseconds; 0 for a single process. */
  readonly leadAfter: number;
  /** How often changes of other nodes are looked for when no notification comes, milliseconds; null for a single process. */
  readonly lookEvery: number | null;
  /** How long results of deliveries wait, so that more are written together, milliseconds. */
  readonly linger: number;
  /** Wraps a service that runs on one node at a time: it runs here while this node is the leader under the name. */
  led(name: string, service: Service, options?: LeadOptions): Service;
  /** Calls `wake` with each destination whose retry queue has due work of another node, alive or dead. */
  retryQueues(wake: (destinationId: string) => void): Service;
  /** The systems that this process needs, and their state. Lost connections are restored without help. */
  parts(): readonly StorePart[];
  /** Why the storage threads are unusable until the process restarts; null if they work. */
  broken(): string | null;
  close(): Promise<void>;
}

export interface StorePart {
  readonly name: 'files' | 'nats' | 'postgres';
  /** Why nothing can be written there now, in words; null if all is well. */
  readonly trouble: string | null;
}

export interface StoresOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called after each commit, with its duration in milliseconds and its number of rows or events. */
  readonly onCommit: (ms: number, rows: number) => void;
  /** Called with messages that failed because the log dropped them before their turn came. */
  readonly onLost: (messages: LostMessages) => void;
  /** Open although files of the data folder are missing, and record their content as lost. */
  readonly acceptLoss: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
const HOUR = DAY / 24;

/** How long it takes to hand over a dead node's work, after the node was declared dead. */
const SETTLING_MS = 2_000;
/** The longest duration of a change of settings: a few statements, each with a timeout of seconds. */
const CHANGE_MS = 60_000;
/** The longest time until changes of other nodes are seen, if no notification comes. */
const LOOK_MS = 2_000;
/** Values of `rest`: for a single process, and for the leading node. */
const REST_MS = 60_000;
const LEADER_RESTS_MS = 10_000;
/** Several results cost the database one transaction instead of several. Meanwhile they hold places in lanes. */
const LINGER_MS = 20;

const UNPURGED =
  'secrets that were stored before MILLRACE_SECRETS_KEY was set may still be readable in millrace.db; the next start and the next compaction try again';

/**
 * Opens the stores that the settings ask for: a data folder, or NATS and PostgreSQL.
 *
 * @throws Error that says what can't be used and how to fix it; then nothing is left open.
 */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { databaseUrl, natsUrl, secretsKey } = options.config;
  let isSealedNow = false;
  const sealedNow = (): void => {
    isSealedNow = true;
  };
  const stores = await (databaseUrl === null || natsUrl === null
    ? openEmbedded(options)
    : openNode(options, { databaseUrl, natsUrl }));
  try {
    const settings = await sealedSettings(stores.settings, secretsKey, sealedNow);
    const alerts = await sealedAlerts(stores.alerts, secretsKey, sealedNow);
    // The files still contain the old form of secrets that were encrypted just now, or by an earlier start whose purge failed.
    if (secretsKey.length > 0) {
      await stores
        .purgeSettings?.(isSealedNow)
        .catch((error: unknown) => options.logger.warn({ err: error }, UNPURGED));
    }
    return { ...stores, settings, alerts };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function openEmbedded({ config, clock, logger, onCommit, acceptLoss }: StoresOptions): Promise<Stores> {
  const { dataDir, adminToken, backupDir } = config;
  const few = tooFewFiles(Math.ceil(config.retention / partitionLength(config)) + 1);
  if (few !== null) logger.warn(few);
  const store = await openSqliteStore({
    dataDir,
    clock,
    placeholderIds: rulesOf(config).placeholderIds,
    partitionLength: partitionLength(config),
    onCommit,
    acceptLoss,
    backupDir,
    version: VERSION,
    onBackup: (backup) =>
      backup.reason === null ? logger.info(backup, 'backup complete') : logger.error(backup, 'backup failed'),
  });
  try {
    const token = await tokenOfFolder(adminToken, dataDir);
    const people = openPeopleThreads({ dataDir, identity: rulesOf(config) });
    return {
      ...store,
      clock,
      people,
      shards: 1,
      formerLanes: {
        async start() {
          const reached = await store.reachedByLanes();
          if (reached === null) return;
          await people.threads.engines.changes.reach([reached], clock.now());
          await store.removeFormerLanes();
        },
        stop: async () => undefined,
      },
      rest: REST_MS,
      adminToken: token,
      peers: {
        ...{ count: () => 1, living: async () => 1, tell: async () => undefined, hear: () => undefined },
        ...{ hears: () => true, isCurrent: () => true, caughtUp: async () => true, trouble: () => null },
      },
      gracePeriod: 0,
      leadAfter: 0,
      lookEvery: null,
      linger: 0,
      led: (_, service) => service,
      retryQueues: () => ({ start: async () => undefined, stop: async () => undefined }),
      parts: () => [{ name: 'files', trouble: store.trouble() }],
      broken: () => store.broken() ?? people.broken(),
      async close() {
        await people.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

export type StreamSettings = Pick<
  JetStreamLogOptions,
  'shards' | 'replicas' | 'retention' | 'maxBytes' | 'duplicateWindow'
>;

interface Urls {
  readonly databaseUrl: string;
  readonly natsUrl: string;
}

async function openNode(
  { config, clock: own, logger, onCommit, onLost }: StoresOptions,
  { databaseUrl, natsUrl }: Urls,
): Promise<Stores> {
  // Imported only if needed: a single process does not load these clients.
  const [{ openPostgresStore }, { isOfPostgres }, { openJetStreamLog }] = await Promise.all([
    import('./stores/postgres/store.ts'),
    import('./stores/postgres/failure.ts'),
    import('./stores/jetstream/store.ts'),
  ]);
  const length = partitionLength(config);
  let hasNats = true;
  const postgres = await openPostgresStore({
    url: databaseUrl,
    clock: own,
    partitionLength: length,
    lease: config.nodeTimeout,
    shards: config.natsStreams,
    placeholderIds: rulesOf(config).placeholderIds,
    isFit: () => hasNats,
    failed: (error, what) => logger.error({ err: error, what }, 'PostgreSQL failed; trying again'),
    skewed: (ms) =>
      logger.warn(
        { ms },
        ms === 0
          ? "this machine's clock is right again"
          : "this machine's clock is off; until it is set right, the time of PostgreSQL's machine is taken",
      ),
    lost: onLost,
  });
  const { clock } = postgres;
  try {
    const log = await openJetStreamLog({
      url: natsUrl,
      index: postgres.index,
      lead: postgres.leadIndex,
      clock,
      ackWait: config.nodeTimeout,
      ...streamSettings(config),
      onCommit,
      // The log's index is in PostgreSQL.
      report: (error) =>
        logger.error({ err: error }, `${isOfPostgres(error) ? 'PostgreSQL' : 'NATS'} failed; trying again`),
      changed(reason) {
        hasNats = reason === null;
        // Both at the same log level: a reader who sees the loss also sees the recovery.
        logger.warn(reason ?? 'NATS is back');
      },
    });
    const deliveries = postgres.deliveries(log);
    // After all servers are reached: a new token is stored and printed.
    const adminToken = await tokenOfCluster(config.adminToken, (hash) => postgres.keepAdminToken(hash)).catch(
      async (error: unknown) => {
        await log.close();
        throw error;
      },
    );
    const people = openPeopleThreads({ databaseUrl, identity: rulesOf(config) });
    return {
      ...postgres,
      log,
      deliveries,
      erasure: postgres.erasure(log),
      backups: NO_BACKUPS,
      people,
      shards: config.natsStreams,
      formerLanes: { start: () => postgres.removeFormerLanes(), stop: async () => undefined },
      // Shorter than for a single process: the leading node does not see the queries that other nodes get.
      rest: LEADER_RESTS_MS,
      watchPeople: (changed) => postgres.watchProfiles(changed),
      adminToken,
      gracePeriod: CHANGE_MS,
      // The dead node's work is handed out by then, before newer work.
      leadAfter: config.nodeTimeout + SETTLING_MS,
      lookEvery: LOOK_MS,
      linger: LINGER_MS,
      led: (name, service, options) => ledService(service, (work) => postgres.lead(name, work, options)),
      retryQueues: (wake) =>
        new Recurring({
          clock,
          every: LOOK_MS,
          // Errors are ignored here: the node's heartbeat reports a database that does not answer.
          run: () =>
            deliveries.due(clock.now()).then(
              (ids) => ids.forEach(wake),
              () => undefined,
            ),
        }),
      parts: () => [
        { name: 'nats', trouble: log.trouble() },
        { name: 'postgres', trouble: postgres.trouble() ?? log.indexTrouble() },
      ],
      broken: () => people.broken(),
      async close() {
        await people.close();
        await log.close();
        await postgres.close();
      },
    };
  } catch (error) {
    await postgres.close();
    throw error;
  }
}

const NO_BACKUPS: Backups = {
  directory: null,
  trouble: null,
  failure: null,
  list: async () => [],
  stop: async () => undefined,
  async begin() {
    throw new Fault(
      'conflict',
      "A node of a cluster makes no backups: use PostgreSQL's and NATS's own tools, first the database, then the streams " +
        '(docs/operations.md, Backup and restore of a cluster).',
    );
  },
};

/** The settings of the streams. */
export function streamSettings(config: Config): StreamSettings {
  return {
    shards: config.natsStreams,
    replicas: config.natsReplicas,
    // Not before the records of an event are dropped: so one partition longer.
    retention: Math.max(config.retention, config.retryWindow) + partitionLength(config) + HOUR,
    maxBytes: config.natsMaxBytes,
    duplicateWindow: config.natsDuplicateWindow,
  };
}

/** Data is dropped by partitions: about a seventh of the retention, at most a day. */
export function partitionLength({ retention }: Config): number {
  return Math.min(DAY, Math.ceil(retention / 7));
}

/** Runs the service while this node leads: starts it when `lead` begins the work, stops it when `signal` aborts. */
function ledService(
  service: Service,
  lead: (work: (signal: AbortSignal) => Promise<void>) => () => Promise<void>,
): Service {
  let end: (() => Promise<void>) | null = null;
  return {
    async start() {
      end ??= lead(async (signal) => {
        try {
          await service.start();
          await aborted(signal);
        } finally {
          await service.stop();
        }
      });
    },
    async stop() {
      await end?.();
      end = null;
    },
  };
}

export function rulesOf({ personAnonymousIds, personUserIds, noIds }: Config): IdentityRules {
  return identityRules(personAnonymousIds, personUserIds, noIds);
}
