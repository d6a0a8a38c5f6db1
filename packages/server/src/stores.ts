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
import { openSqliteStore } from './stores/sqlite/store.ts';

/** Everything that is kept, however this process runs: alone with its files, or as one node of a cluster. */
export interface Stores extends RelationalStores {
  /** The time that everything goes by: one for all nodes. */
  readonly clock: Clock;
  readonly log: EventLog;
  readonly losses: Losses;
  readonly deliveries: DeliveryStore;
  readonly retention: Retention;
  readonly erasure: Erasure;
  readonly backups: Backups;
  /** The profiles. */
  readonly people: PeopleThreads;
  /** How many shards the log has. */
  readonly shards: number;
  /** Removes the lanes by which an earlier version read the log for people/, which goes on where they stood. */
  readonly formerLanes: Service;
  /** Longest that people/ leaves calls in the log while there is no definition, milliseconds. */
  readonly rest: number;
  /** Calls when another node has changed what people/ keeps; the answer ends that. Absent where there is none. */
  readonly watchPeople?: (changed: () => Promise<void>) => () => void;
  readonly adminToken: AdminToken;
  /** The other nodes. */
  readonly peers: Peers;
  /** How long a change that another node makes may be under way, milliseconds; 0 where there is none. */
  readonly gracePeriod: number;
  /** How long what a node held that has died may still be its own, milliseconds; 0 where there is no other. */
  readonly leadAfter: number;
  /** How often what other nodes have done is looked at where no notification comes, milliseconds; null where there are none. */
  readonly lookEvery: number | null;
  /** How long a few outcomes of deliveries wait for more to be written with, milliseconds. */
  readonly linger: number;
  /** The service as one that runs on one node at a time: on this one from when it leads under the name until it does not. */
  led(name: string, service: Service, options?: LeadOptions): Service;
  /** Calls `wake` with each destination whose retry queue has something due that another node put there, or died with. */
  retryQueues(wake: (destinationId: string) => void): Service;
  /** What this process can't do without, and how it is. What is away reconnects without help. */
  parts(): readonly StorePart[];
  /** Why they can't work until the process is restarted; null when they can. */
  broken(): string | null;
  close(): Promise<void>;
}

export interface StorePart {
  readonly name: 'files' | 'nats' | 'postgres';
  /** Why nothing can be written there right now, in words; null when all is well. */
  readonly trouble: string | null;
}

export interface StoresOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Is told how long it took each time until what was written was durable, milliseconds, and how many rows or events it held. */
  readonly onCommit: (ms: number, rows: number) => void;
  /** Is told of messages that failed because the log had dropped them before their turn came. */
  readonly onLost: (messages: LostMessages) => void;
  /** Go on without files of the data folder that are missing, and write off what was in them. */
  readonly acceptLoss: boolean;
}

const DAY = 24 * 60 * 60 * 1000;
const HOUR = DAY / 24;

/** After a node counts as dead, what it held is handed to others within this. */
const SETTLING_MS = 2_000;
/** A change of settings takes a few statements, each of which has a deadline of seconds. */
const CHANGE_MS = 60_000;
/** What other nodes have done shows after so long at most, where no notification comes. */
const LOOK_MS = 2_000;
/** See `rest`: of a process alone, and of the node that leads. */
const REST_MS = 60_000;
const LEADER_RESTS_MS = 10_000;
/** A transaction costs the database as much as several outcomes. What waits meanwhile are places in lanes. */
const LINGER_MS = 20;

/**
 * Opens what the settings ask for: a data folder, or NATS and PostgreSQL.
 *
 * @throws Error that says what can't be used and how to put it right; then nothing is left open.
 */
export async function openStores(options: StoresOptions): Promise<Stores> {
  const { databaseUrl, natsUrl, secretsKey } = options.config;
  const stores = await (databaseUrl === null || natsUrl === null
    ? openEmbedded(options)
    : openNode(options, { databaseUrl, natsUrl }));
  try {
    const settings = await sealedSettings(stores.settings, secretsKey);
    const alerts = await sealedAlerts(stores.alerts, secretsKey);
    // What was just encrypted stands in the files as it was until then.
    if (secretsKey.length > 0 && databaseUrl === null) await stores.erasure.purge(new AbortController().signal);
    return { ...stores, settings, alerts };
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function openEmbedded({ config, clock, logger, onCommit, acceptLoss }: StoresOptions): Promise<Stores> {
  const { dataDir, adminToken, backupDir } = config;
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
        ...{ count: () => 1, tell: () => undefined, hear: () => undefined },
        ...{ isCurrent: () => true, caughtUp: async () => true },
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
  // A process alone need not hold what speaks with them.
  const [{ openPostgresStore }, { openJetStreamLog }] = await Promise.all([
    import('./stores/postgres/store.ts'),
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
      report: (error) => logger.error({ err: error }, 'NATS failed; trying again'),
      changed(isUp) {
        hasNats = isUp;
        // Both of one level, so that a reader of the one reads the other too.
        logger.warn(isUp ? 'NATS is back' : 'the connection to NATS was lost; trying again');
      },
    });
    const deliveries = postgres.deliveries(log);
    // When all is reached: a token that is made and kept is printed.
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
      // The node that takes them in does not hear which questions another one is asked.
      rest: LEADER_RESTS_MS,
      watchPeople: (changed) => postgres.watchProfiles(changed),
      adminToken,
      gracePeriod: CHANGE_MS,
      // What it held comes again after that, and before what is newer.
      leadAfter: config.nodeTimeout + SETTLING_MS,
      lookEvery: LOOK_MS,
      linger: LINGER_MS,
      led: (name, service, options) => ledService(service, (work) => postgres.lead(name, work, options)),
      retryQueues: (wake) =>
        new Recurring({
          clock,
          every: LOOK_MS,
          // That the database does not answer is said by its signs of life.
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

/** What the settings say of the streams. */
export function streamSettings(config: Config): StreamSettings {
  return {
    shards: config.natsStreams,
    replicas: config.natsReplicas,
    // An event goes with its partition of the records, not before it.
    retention: Math.max(config.retention, config.retryWindow) + partitionLength(config) + HOUR,
    maxBytes: config.natsMaxBytes,
    duplicateWindow: config.natsDuplicateWindow,
  };
}

/** So long that about a seventh of what is kept goes at a time, and a day at most. */
export function partitionLength({ retention }: Config): number {
  return Math.min(DAY, Math.ceil(retention / 7));
}

/** Starts the service whenever `lead` runs the work it is given, and stops it when that is to end. */
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
