import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Backup, Backups } from '../../backup/contract.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import type { Position } from '../../core/event.ts';
import { FORMER_PEOPLE } from '../../core/lane.ts';
import { BEYOND_ALL } from '../../core/position.ts';
import type { EventLog, Losses } from '../../log/contract.ts';
import type { DeliveryStore, Retention } from '../../record/contract.ts';
import type { Erasure } from '../../regulations/contract.ts';
import { Thread, workerFile } from '../../threads/thread.ts';
import { expire, type RelationalStores, relationalStores } from '../relational/all.ts';
import { isBackup } from './backup-record.ts';
import { SqliteBackups } from './backups.ts';
import { Committer } from './committer.ts';
import { lockPath } from './database.ts';
import { sqliteDeliveries } from './delivery-store.ts';
import { sqliteErasure, untilCut } from './erasure.ts';
import { SqliteEventLog } from './event-log.ts';
import { checkBackupPlace } from './folder-place.ts';
import type { Hash } from './hash.ts';
import { RUN_SIZE } from './ids.ts';
import { livePath } from './live.ts';
import type { ReaderOptions } from './partition-files.ts';
import { presence } from './presence.ts';
import { profilePath } from './profile-store.ts';
import type { Reader } from './reader.ts';
import { checkRestored } from './restore.ts';
import { sqliteSql } from './sql.ts';
import { Tail } from './tail.ts';
import type { SqliteWorld } from './world.ts';
import type { Writer, WriterOptions } from './writer.ts';

export interface SqliteStoreOptions {
  /** Folder of the database files; made if it does not exist. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** How long one partition takes events, milliseconds; default 1 day. Retention drops whole partitions. */
  readonly partitionLength?: number;
  /** How long a messageId is remembered, milliseconds; default 24 h (contract 8.7). */
  readonly dedupeWindow?: number;
  /** How many ids a run contains; the newest ids stay in memory until then. Default half a million (see ids.ts). */
  readonly runSize?: number;
  /** Seed for the hashes of message ids of a new store; random by default. */
  readonly idSeed?: Hash;
  /** Most bytes of the newest events in memory, for lanes that keep up. The default is in tail.ts. */
  readonly tailBytes?: number;
  /** Lower-case values of userId that identify no person, in addition to the usual ones. Default none. */
  readonly placeholderIds?: ReadonlySet<string>;
  /** Start without missing files, and write off their events. Default false. */
  readonly acceptLoss?: boolean;
  /** The directory for backups; null, the default, if there are none. */
  readonly backupDir?: string | null;
  /** Millrace's version, for the records of backups. */
  readonly version?: string;
  /** Called with the result of each backup. */
  readonly onBackup?: ((backup: Backup) => void) | undefined;
  /** Called after each commit: how long it took, milliseconds, and how many rows it had. */
  readonly onCommit?: ((ms: number, rows: number) => void) | undefined;
}

/** The embedded store: every contract on SQLite files in one folder. */
export interface SqliteStore extends RelationalStores {
  readonly log: EventLog;
  readonly losses: Losses;
  readonly deliveries: DeliveryStore;
  readonly retention: Retention;
  readonly erasure: Erasure;
  readonly backups: Backups;
  /** See Stores.purgeSettings. Waits at most `PURGE_MS` for readers of other processes. */
  purgeSettings(rewrites: boolean): Promise<void>;
  /** The position up to which the lanes of `FORMER_PEOPLE` had handed out everything; null if there are no such lanes. */
  reachedByLanes(): Promise<Position | null>;
  removeFormerLanes(): Promise<void>;
  /** Why nothing can be written now, or which file is missing, in words; null if all is well. It can end without a restart. */
  trouble(): string | null;
  /** Why the store needs a restart of the process; null if it works. */
  broken(): string | null;
  /** Commits what waits and closes the files. */
  close(): Promise<void>;
}

const DAY = 24 * 60 * 60 * 1000;
const PURGE_MS = 2_000;
const WORKER = workerFile(import.meta.url, './sqlite-worker');

/**
 * Opens the store in a folder. Only one process can have it open.
 *
 * @throws Error if the folder can't be written, is in use, is a backup, would contain its own backups, contains something else
 * than a store, or lacks what a restore that was killed shall bring.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const { dataDir, clock, backupDir = null } = options;
  if (isBackup(dataDir)) {
    // Backups can share files by hard links: writing to one would change all.
    throw new Error(`${dataDir} is a backup. Put it in place with: millrace restore '${dataDir}' --data-dir FOLDER`);
  }
  if (backupDir !== null) checkBackupPlace(backupDir, dataDir);
  checkRestored(dataDir);
  makeFolder(resolve(dataDir));
  const begun = {
    dataDir,
    partitionLength: options.partitionLength ?? DAY,
    dedupeWindow: options.dedupeWindow ?? DAY,
    openedAt: clock.now(),
    idSeed: options.idSeed ?? { high: randomInt(2 ** 32) | 0, low: randomInt(2 ** 32) | 0 },
    runSize: options.runSize ?? RUN_SIZE,
    acceptLoss: options.acceptLoss ?? false,
  } satisfies WriterOptions;
  const writer = new Thread<Writer>('writer', () => begun, WORKER);
  const read = (): ReaderOptions => ({ dataDir, partitions: committer.partitions });
  const laneReader = new Thread<Reader>('lane-reader', read, WORKER);
  const queryReader = new Thread<Reader>('query-reader', read, WORKER);
  const readers = [laneReader, queryReader];
  const { lastSeq, lanes, folderId, partitions } = writer.remote;
  const [end, all, folder, files] = await Promise.all([lastSeq(), lanes(), folderId(), partitions()]).catch(
    async (error: unknown) => {
      await writer.end();
      throw error;
    },
  );
  const former = all.filter(({ destinationId }) => destinationId === FORMER_PEOPLE);
  const { placeholderIds, onCommit } = options;
  const committer = new Committer({ writer, readers, partitions: files, clock, placeholderIds, onCommit });
  const lastingTrouble = presence([livePath(dataDir), profilePath(dataDir), lockPath(dataDir)]);
  const missing = (): string | null => {
    const path = committer.partitions.map(({ path }) => path).find((path) => !existsSync(path));
    return path === undefined
      ? null
      : `${basename(path)} was removed while the service runs. Stop it and put the file back.`;
  };
  const world: SqliteWorld = { clock, writer, laneReader, queryReader, committer, placeholderIds };
  const lanesNow = all.filter(({ destinationId }) => destinationId !== FORMER_PEOPLE);
  const log = new SqliteEventLog(world, new Tail(end, options.tailBytes), lanesNow);
  const sql = sqliteSql(writer, queryReader);
  const directory = backupDir === null ? null : resolve(backupDir);
  const { version = 'unknown', onBackup: onEnd = () => undefined } = options;
  const backups = new SqliteBackups({ dataDir, folder, directory, version, writer, onEnd });
  return {
    ...relationalStores(sql),
    log,
    losses: { list: writer.remote.live.manifest.losses, note: writer.remote.live.manifest.noteLoss },
    deliveries: sqliteDeliveries(world, sql, log),
    retention: {
      async expire(before, [takenIn = 0] = [BEYOND_ALL]) {
        await committer.savePositions();
        try {
          return await writer.remote.expire(before, clock.now(), takenIn);
        } finally {
          // Also after a failure halfway. A file is deleted once the last reader has closed it.
          await committer.tellReaders(await writer.remote.partitions());
          await writer.remote.live.removeDropped();
          await writer.remote.live.forgetReplays(await expire(sql, before));
        }
      },
    },
    erasure: sqliteErasure(world, log),
    backups,
    async purgeSettings(rewrites) {
      const late = new AbortController();
      try {
        if (rewrites) await writer.remote.rewriteLive();
      } finally {
        // If the disk is too full to rewrite the file, it may still have room for what the log holds.
        const cancel = systemClock.after(PURGE_MS, () =>
          late.abort(new Error('Another process is reading millrace.db.')),
        );
        await untilCut(() => writer.remote.cutLive(), late.signal).finally(cancel);
      }
    },
    async reachedByLanes() {
      if (former.length === 0) return null;
      const { end } = log.tail;
      const { readLane } = laneReader.remote;
      const firsts = await Promise.all(former.map((lane) => readLane(lane, lane.position, lane.until ?? end, 1)));
      return Math.min(end, ...firsts.flat().map(({ position }) => position - 1));
    },
    async removeFormerLanes() {
      for (const { id } of former.splice(0)) await writer.remote.live.removeLane(id);
    },
    trouble: () => committer.trouble() ?? lastingTrouble() ?? missing(),
    broken: () => [writer, ...readers].find((thread) => thread.failure)?.failure?.message ?? null,
    async close() {
      await backups.stop();
      await committer.close();
      await Promise.all(readers.map((reader) => reader.end()));
      await writer.end();
    },
  };
}

/** Makes a folder and its parents. `mkdir` with `recursive` never ends on a file system such as `/proc`. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    const why = (cause as Error).message;
    throw new Error(`The data folder can't be made (${why}). Make it for the service's user, or name another`, {
      cause,
    });
  }
}
