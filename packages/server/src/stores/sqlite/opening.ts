import { randomUUID } from 'node:crypto';
import { existsSync, renameSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { partsOutside } from '../../core/position.ts';
import { noCounts } from './counts.ts';
import { named, openImmutable, openReadOnly } from './database.ts';
import type { Hash } from './hash.ts';
import { type LaneRow, Live, livePath } from './live.ts';
import { claim, folderOf, type Gap, type Manifest } from './manifest.ts';
import { loadTotals, Partition, parsePartitionFile, partitionsIn, saveTotals, type Totals } from './partition.ts';
import { openProfileFile, profilePath } from './profile-store.ts';
import type { PartitionInfo } from './protocol.ts';
import { rowsOf } from './statements.ts';

export interface OpeningOptions {
  readonly dataDir: string;
  /** Seed for the hashes of message ids, for a store that has none yet. */
  readonly idSeed: Hash;
  /** The time of opening, milliseconds since the epoch: nothing in the folder was received later. */
  readonly openedAt: number;
  /** Start without the missing files, and write off their events. */
  readonly acceptLoss: boolean;
}

export interface OpenFolder {
  readonly live: Live;
  readonly folderId: string;
  /** Oldest first. */
  readonly partitions: Partition[];
  readonly totals: Map<number, Totals>;
  /** Higher than every seq that a file of the folder knows. */
  readonly nextSeq: number;
}

/**
 * Opens the files of a data folder, and compares them with the folder's list of files. If a file knows of events that no file
 * contains, they are recorded as a loss. Their seqs are never given to other events.
 *
 * @throws Error that names each file that is missing, belongs to another folder or was put back, unless losses are accepted.
 */
export function openFolder(options: OpeningOptions): OpenFolder {
  const { dataDir, acceptLoss, openedAt } = options;
  const hasLive = hasTables(livePath(dataDir));
  if (!hasLive && !acceptLoss && (partitionsIn(dataDir).length > 0 || existsSync(profilePath(dataDir)))) {
    const what = existsSync(livePath(dataDir)) ? 'empty' : 'missing';
    throw notWhole(dataDir, [`${basename(livePath(dataDir))} is ${what} (sources, destinations, accounts)`]);
  }
  const live = named(livePath(dataDir), () => new Live(dataDir, options.idSeed));
  live.removeDropped();
  const { manifest } = live;
  const kept = new Set(manifest.files());
  const wasMade = manifest.isMade;
  const people = readPeople(dataDir);
  const partitions = partitionsIn(dataDir).map((file) => Partition.open(file));
  const folderId =
    manifest.id ?? people?.folder ?? partitions.map(({ db }) => folderOf(db)).find((id) => id !== null) ?? randomUUID();
  manifest.begin(folderId);

  // A partition without a folder id was made by an old version or at the moment of a crash. In the latter case it has no events.
  const mayAdopt = (partition: Partition): boolean => !wasMade || partition.lastSeq() < partition.firstSeq;
  const claimed = partitions.filter((partition) =>
    named(partition.path, () => claim(partition.db, folderId, mayAdopt(partition))),
  );
  const old = droppedBefore(claimed, manifest);
  const own = claimed.filter((partition) => !old.includes(partition));
  const isOwnPeople =
    people !== null && (people.folder ?? (wasMade && kept.has(PEOPLE) ? null : folderId)) === folderId;
  const there = new Set([...partitions.map(({ path }) => basename(path)), ...(people ? [PEOPLE] : [])]);
  const missing = [...kept].filter((file) => !there.has(file));
  const foreign = partitions.filter((partition) => !claimed.includes(partition)).map(({ path }) => basename(path));
  if (people && !isOwnPeople) foreign.push(PEOPLE);
  if (missing.length + foreign.length + old.length > 0 && !acceptLoss) {
    throw notWhole(dataDir, [
      ...missing.map((file) => `${file} is missing (${contentOf(dataDir, file)})`),
      ...foreign.map((file) => `${file} belongs to another data folder`),
      ...old.map(putBack),
    ]);
  }
  for (const partition of partitions) if (!own.includes(partition)) partition.close();
  // If the database of a file is missing, its write-ahead log may still be there.
  for (const file of [...missing, ...foreign]) putAside(join(dataDir, file));
  for (const { path } of old) putAside(path);
  for (const file of missing) manifest.forget(file);
  if (!isOwnPeople || people.folder === null) claimPeople(dataDir, folderId);

  // If two partitions begin with the same seq, one of them has no events: an earlier version made it when the clock was ahead.
  own.sort((a, b) => a.firstSeq - b.firstSeq || a.lastSeq() - b.lastSeq());
  for (const partition of own) named(partition.path, () => partition.settleClock(openedAt));
  const totals = loadTotals(own);
  live.startAbove(own);
  const lostFiles = [...missing, ...foreign];
  if (!hasLive && there.size > 0) lostFiles.push(basename(livePath(dataDir)));
  const ofPeople = isOwnPeople ? people.position : 0;
  const nextSeq = noteLosses({ live, partitions: own, totals, lostFiles, ofPeople, openedAt });
  // A crash may have come between the making of a partition and its entry in the list.
  manifest.made([...own.map(({ path }) => basename(path)), PEOPLE]);
  return { live, folderId, partitions: own, totals, nextSeq };
}

const PEOPLE = basename(profilePath(''));

/** The folder id and the last position in `people.db`; null if the file does not exist. */
function readPeople(dataDir: string): { readonly folder: string | null; readonly position: number } | null {
  const path = profilePath(dataDir);
  if (!existsSync(path)) return null;
  return readUnchanged(path, (db) => {
    const tables = tablesIn(db);
    const row = tables.has('source') ? db.prepare('SELECT max(position) AS seq FROM source').get() : undefined;
    return { folder: tables.has('folder') ? folderOf(db) : null, position: Number(row?.['seq'] ?? 0) };
  });
}

/** Whether a database file has tables. A copy that was cut off, or lacks the write-ahead log, may have none. */
function hasTables(path: string): boolean {
  // SQLite deletes the write-ahead log of a file without content.
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  return readUnchanged(path, (db) => tablesIn(db).size > 0);
}

/** Reads a database file that nothing writes at the moment. Works on a full disk. */
function readUnchanged<T>(path: string, read: (db: DatabaseSync) => T): T {
  const db = existsSync(`${path}-wal`) ? openReadOnly(path) : openImmutable(path);
  try {
    return named(path, () => read(db));
  } finally {
    db.close();
  }
}

function tablesIn(db: DatabaseSync): ReadonlySet<unknown> {
  return new Set(rowsOf<{ readonly name: string }>(db, 'SELECT name FROM sqlite_master').map(({ name }) => name));
}

function claimPeople(dataDir: string, folderId: string): void {
  const db = openProfileFile(dataDir);
  claim(db, folderId, true);
  db.close();
}

function contentOf(dataDir: string, file: string): string {
  const partition = parsePartitionFile(dataDir, file);
  return partition ? `events from ${partition.firstSeq} on` : 'persons, audiences and computed traits';
}

/**
 * The partitions that retention has dropped, or a start has written off, and somebody has put back. Their counts are in
 * `millrace.db` already. The list lacks them, and they begin in a gap. It may also lack one that was made at the moment of a crash.
 */
export function droppedBefore<File extends PartitionInfo>(files: readonly File[], manifest: Manifest): File[] {
  const kept = new Set(manifest.files());
  const gaps = manifest.gaps();
  const isGone = (seq: number): boolean => gaps.some(({ first, last }) => first <= seq && seq <= last);
  return files.filter(({ path, firstSeq }) => !kept.has(basename(path)) && isGone(firstSeq));
}

/** What is wrong with a file of `droppedBefore`, in words. */
export function putBack({ path }: PartitionInfo): string {
  return `${basename(path)} was put back after retention dropped it, or --accept-loss wrote it off: its deliveries would count twice`;
}

/** The error if files are missing, belong to another folder, or were put back. */
export function notWhole(dataDir: string, troubles: readonly string[]): Error {
  return new Error(
    `The data folder ${dataDir} is not whole: ${troubles.join('; ')}. Put back all files of one backup, or start once with ` +
      '--accept-loss, which goes on without what is named here and writes it off.',
  );
}

function putAside(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(path + suffix)) renameSync(path + suffix, `${path}.foreign${suffix}`);
  }
}

interface Found {
  readonly live: Live;
  readonly partitions: readonly Partition[];
  readonly totals: Map<number, Totals>;
  /** Names of the missing files. */
  readonly lostFiles: readonly string[];
  /** The last position that people/ has taken in. */
  readonly ofPeople: number;
  readonly openedAt: number;
}

/** Records the lost events and corrects the counts. Answers the next seq. */
function noteLosses({ live, partitions, totals, lostFiles, ofPeople, openedAt }: Found): number {
  const { manifest } = live;
  const lanes = [...live.lanes.values()];
  const before = manifest.gaps();
  const known = Math.max(
    ofPeople,
    before.reduce((highest, { last }) => Math.max(highest, last), 0),
    lanes.reduce((highest, { position, startSeq, endSeq }) => Math.max(highest, position, startSeq, endSeq ?? 0), 0),
  );
  const firsts = lostFiles.flatMap((file) => parsePartitionFile('', file)?.firstSeq ?? []);
  const gaps = gapsOf(partitions, firsts, known).flatMap((gap) => partsOutside(gap, before));
  const accepted = acceptedByLanes(lanes);
  const because = lostFiles.length === 0 ? '' : ` (gone with ${lostFiles.join(', ')})`;
  for (const gap of gaps) {
    const what = `events ${gap.first} to ${gap.last} of the data folder${because}`;
    manifest.addLoss({ ...gap, what, accepted }, openedAt);
  }
  if (gaps.length === 0 && lostFiles.length > 0) {
    // No other file knows how many events these files had: the loss has no count.
    manifest.addLoss(
      { first: known + 1, last: known, what: `what was in ${lostFiles.join(', ')}`, accepted },
      openedAt,
    );
  }
  for (const [source, least] of manifest.acceptedAtLeast()) {
    const sum = totals.get(source) ?? { accepted: 0, duplicates: 0 };
    totals.set(source, { ...sum, accepted: Math.max(sum.accepted, least) });
  }
  if (manifest.hasUnsettled()) {
    const last = partitions.at(-1);
    if (last) saveTotals(last, totals);
    live.settleLost(lanes.map((lane) => [lane, lostOf(lane, live, partitions, totals)]));
  }
  return Math.max(known, partitions.at(-1)?.lastSeq() ?? 0) + 1;
}

/** Ranges of seqs that no partition contains, up to the last seq that any file knows. */
function gapsOf(partitions: readonly Partition[], missing: readonly number[], known: number): Gap[] {
  const gaps: Gap[] = [];
  let expected = Math.min(...missing, partitions[0]?.firstSeq ?? known + 1);
  for (const partition of partitions) {
    if (partition.firstSeq > expected) gaps.push({ first: expected, last: partition.firstSeq - 1 });
    expected = Math.max(expected, partition.lastSeq() + 1);
  }
  if (known >= expected) gaps.push({ first: expected, last: known });
  return gaps;
}

/** The highest number of accepted events, by number of source, that a lane noted at its beginning or end. */
function acceptedByLanes(lanes: readonly LaneRow[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { source, startAccepted, endAccepted } of lanes) {
    sums.set(source, Math.max(sums.get(source) ?? 0, startAccepted, endAccepted ?? 0));
  }
  return sums;
}

/** How many events of a lane neither wait nor have a known result: they were lost with a file. */
function lostOf(
  { id, source, destination, startSeq, startAccepted, endSeq, endAccepted }: LaneRow,
  live: Live,
  partitions: readonly Partition[],
  totals: ReadonlyMap<number, Totals>,
): number {
  const counted = [live.dropped, ...partitions.map(({ counts }) => counts)].map(
    (table) => table.byLane.get(id) ?? noCounts(),
  );
  const ended = counted.reduce(
    (sum, { processed, failed, filtered, backfilled }) => sum + processed + failed + filtered - backfilled,
    0,
  );
  const queued = counted.reduce((sum, { retrying }) => sum + retrying, 0);
  let unread = 0;
  for (const { db } of partitions) {
    const row = db
      .prepare(
        `SELECT count(*) AS events FROM events e WHERE e.source = ? AND e.seq > ? AND e.seq <= ?
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination = ? AND d.seq = e.seq)`,
      )
      .get(source, startSeq, endSeq ?? Number.MAX_SAFE_INTEGER, destination);
    unread += Number(row?.['events']);
  }
  const accepted = (endAccepted ?? totals.get(source)?.accepted ?? 0) - startAccepted;
  return accepted - ended - queued - unread;
}
