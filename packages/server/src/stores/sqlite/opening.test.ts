import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { smallDiskFor } from '../../../../../test/small-disk.ts';
import { removeFolder, temporaryFolder } from '../../../../../test/system/kit/leaks.ts';
import type { Lane } from '../../core/lane.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { Loss } from '../../log/contract.ts';
import { lockFolder } from './database.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

const HOUR = 60 * 60 * 1000;

/** Tables of `millrace.db` that steps of its schema change. */
const LATER_TABLES = [
  ...['accounts', 'invites', 'tokens', 'sessions', 'documents', 'regulations', 'regulation_subjects', 'suppressions'],
  ...['rejections', 'stats'],
];

let world: SqliteWorld;
let lane: Lane;
let saved: string;
/** Whose folders are used on. */
const made: SqliteWorld[] = [];
beforeEach(async () => {
  saved = temporaryFolder();
  world = await openWorld({ ...SMALL, partitionLength: HOUR });
  lane = await world.log.openLane('s', 'd');
});
afterEach(async () => {
  await world.close();
  for (const before of made.splice(0)) await before.close();
  removeFolder(saved);
});

const append = (prefix: string, count: number) =>
  world.log.append(
    Array.from({ length: count }, (_, i) => sampleEvent('s', `${prefix}${i}`, { receivedAt: world.now() })),
  );

/** Delivers the lane's next events and has its position saved. */
async function deliver(count: number): Promise<void> {
  const reader = world.log.read(lane.id);
  const entries = await take(reader, count);
  await world.settle(lane, entries);
  reader.ack(entries.map(({ position }) => position));
}

const counts = async () => (await world.deliveries.counts(['d']))[0]?.counts;
const losses = (): Promise<readonly Loss[]> => world.store.losses.list();
const files = (): string[] => readdirSync(world.dataDir).filter((name) => /^events-.*\.db$/.test(name));
const path = (name: string): string => join(world.dataDir, name);

/** What waits can be read, and what is read was appended now. */
async function expectWhole(waiting: readonly string[]): Promise<void> {
  expect(await counts()).toMatchObject({ waiting: waiting.length });
  const entries = await take(world.log.read(lane.id), waiting.length);
  expect(entries.map(({ messageId }) => messageId)).toEqual(waiting);
}

/** The folder without its newest events: `millrace.db` and `people.db` are of now, the events of the moment of `save`. */
const save = (): void => cpSync(world.dataDir, saved, { recursive: true });
function putBackEvents(): void {
  for (const name of readdirSync(world.dataDir)) if (name.startsWith('events-')) rmSync(path(name));
  for (const name of readdirSync(saved)) if (name.startsWith('events-')) cpSync(join(saved, name), path(name));
}

describe('events that end before what other files know', () => {
  beforeEach(async () => {
    await append('a', 10);
    await deliver(4);
    save();
    await append('b', 20);
    await deliver(16);
    await world.stop();
    putBackEvents();
    await world.start();
  });

  test('are told, and later events take no place that counts as passed', async () => {
    expect(await losses()).toMatchObject([{ events: 10, what: 'events 11 to 20 of the data folder', notedAt: null }]);
    await append('c', 3);
    await expectWhole(['a4', 'a5', 'a6', 'a7', 'a8', 'a9', 'c0', 'c1', 'c2']);
    expect(await counts()).toMatchObject({ accepted: 13, processed: 4, failed: 0 });
  });

  test('are told once, however often the store is opened, and more that is lost is told apart', async () => {
    await world.reopen();
    expect(await losses()).toHaveLength(1);
    expect(await world.store.losses.note('1', 5)).toBe(true);
    expect(await world.store.losses.note('7', 5)).toBe(false);
    await append('c', 5);
    await deliver(11);
    await world.stop();
    putBackEvents();
    await world.start();
    expect(await losses()).toMatchObject([
      { events: 10, notedAt: 5 },
      { events: 5, notedAt: null },
    ]);
    await append('d', 1);
    await expectWhole(['a4', 'a5', 'a6', 'a7', 'a8', 'a9', 'd0']);
  });
});

test('counts add up for a lane that began after what is gone, and for the one before it', async () => {
  await append('a', 10);
  save();
  await append('b', 20);
  const late = await world.log.openLane('s', 'late');
  await world.stop();
  putBackEvents();
  await world.start();
  expect(await counts()).toMatchObject({ accepted: 30, failed: 20, waiting: 10 });
  await append('c', 2);
  expect((await world.deliveries.counts(['late']))[0]?.counts).toMatchObject({ accepted: 2, failed: 0, waiting: 2 });
  expect(await take(world.log.read(late.id), 2)).toHaveLength(2);
  await world.reopen();
  expect(await counts()).toMatchObject({ accepted: 32, failed: 20, waiting: 12 });
});

describe('a folder that is not whole', () => {
  beforeEach(async () => {
    for (const prefix of ['a', 'b', 'c']) {
      await append(prefix, 10);
      world.advance(HOUR);
    }
    await deliver(5);
    await world.stop();
  });

  const accept = async (): Promise<void> => {
    const { dataDir } = world;
    made.push(world);
    world = await openWorld({ ...SMALL, partitionLength: HOUR, dataDir, acceptLoss: true });
  };

  test.each([
    // What became of these events is no longer known, for those that were delivered either.
    ['the oldest events', 0, { accepted: 30, failed: 10, waiting: 20 }, 'b0'],
    ['events in the middle', 1, { accepted: 30, failed: 10, waiting: 15 }, 'a5'],
    // No other file knows how many these were.
    ['the newest events', 2, { accepted: 20, failed: 0, waiting: 15 }, 'a5'],
  ])(
    'is refused where a file of %s is missing, and goes on without it where that is accepted',
    async (_, at, left, next) => {
      const file = files().toSorted()[at] ?? '';
      rmSync(path(file));
      await expect(world.start()).rejects.toThrow(`${file} is missing`);
      await expect(world.start()).rejects.toThrow('--accept-loss');
      await accept();
      expect(await losses()).toMatchObject([{ what: expect.stringContaining(file) }]);
      expect(await counts()).toMatchObject(left);
      expect((await take(world.log.read(lane.id), 1))[0]?.messageId).toBe(next);
      await append('new', 1);
      expect(await counts()).toMatchObject({ accepted: left.accepted + 1, waiting: left.waiting + 1 });
      await world.reopen();
      expect(await losses()).toHaveLength(1);
    },
  );

  test('keeps what was written last of a file that is missing, for when it is put back', async () => {
    const file = files().toSorted()[1] ?? '';
    const [from, aside] = [path(file), join(saved, file)];
    renameSync(from, aside);
    writeFileSync(`${from}-wal`, 'what was written last');
    await expect(world.start()).rejects.toThrow(`${file} is missing`);
    expect(readFileSync(`${from}-wal`, 'utf8')).toBe('what was written last');
    await accept();
    expect(existsSync(`${from}-wal`)).toBe(false);
    expect(existsSync(`${from}.foreign-wal`)).toBe(true);
    // Once it is written off, it is too late to put it back.
    const left = await counts();
    await world.stop();
    renameSync(aside, from);
    await expect(made.at(-1)?.start()).rejects.toThrow('or --accept-loss wrote it off');
    renameSync(from, aside);
    await world.start();
    expect(await counts()).toEqual(left);
  });

  test('is refused where people.db is missing', async () => {
    rmSync(path('people.db'));
    await expect(world.start()).rejects.toThrow('people.db is missing (persons, audiences and computed traits)');
    await accept();
    expect(await losses()).toMatchObject([{ events: 0, what: 'what was in people.db' }]);
    await world.reopen();
  });

  test('is refused where millrace.db is missing; old events are never those of a new source', async () => {
    rmSync(path('millrace.db'));
    await expect(world.start()).rejects.toThrow('millrace.db is missing (sources, destinations, accounts)');
    expect(existsSync(path('millrace.db'))).toBe(false);
    await accept();
    expect(await losses()).toMatchObject([{ what: 'what was in millrace.db' }]);
    const other = await world.log.openLane('new', 'd2');
    expect(other.id).toBeGreaterThan(lane.id);
    await world.log.append([sampleEvent('new', 'n', { receivedAt: world.now() })]);
    expect((await world.log.totals()).get('new')).toMatchObject({ accepted: 1 });
    expect((await take(world.log.read(other.id), 1))[0]?.messageId).toBe('n');
    expect((await world.deliveries.counts(['d2']))[0]?.counts).toMatchObject({ accepted: 1, waiting: 1 });
  });

  test.each([
    ['no content', (live: string) => truncateSync(live)],
    ['no tables, as a copy without the write-ahead log', (live: string) => emptied(live)],
  ])('is refused where millrace.db has %s', async (_, empty) => {
    const live = path('millrace.db');
    empty(live);
    writeFileSync(`${live}-wal`, '');
    await expect(world.start()).rejects.toThrow('millrace.db is empty (sources, destinations, accounts)');
    expect(existsSync(`${live}-wal`)).toBe(true);
    await accept();
    expect(await losses()).toMatchObject([{ what: 'what was in millrace.db' }]);
    await world.reopen();
  });

  test('is refused where a file is another folder’s', async () => {
    const own = files().toSorted()[0] ?? '';
    const other = await openWorld({ ...SMALL, partitionLength: HOUR });
    await other.log.append([sampleEvent('x', 'x')]);
    await other.stop();
    const foreign = readdirSync(other.dataDir).find((name) => name.startsWith('events-')) ?? '';
    cpSync(join(other.dataDir, foreign), path(own));
    await other.close();
    await expect(world.start()).rejects.toThrow(`${own} belongs to another data folder`);
    await accept();
    expect(existsSync(path(`${own}.foreign`))).toBe(true);
    expect(await counts()).toMatchObject({ accepted: 30, waiting: 20, failed: 10 });
  });

  test('is refused where a file that retention has dropped is put back, or its counts would count twice', async () => {
    await world.start();
    await deliver(30 - 5);
    await world.stop();
    save();
    await world.start();
    world.advance(HOUR);
    expect(await world.retention.expire(world.now() - 2 * HOUR)).toBe(2);
    await world.stop();
    const [oldest = ''] = readdirSync(saved)
      .filter((name) => /^events-.*\.db$/.test(name))
      .toSorted();
    cpSync(join(saved, oldest), path(oldest));
    await expect(world.start()).rejects.toThrow(`${oldest} was put back after retention dropped it`);
    await accept();
    expect(existsSync(path(`${oldest}.foreign`))).toBe(true);
    expect(await losses()).toEqual([]);
    expect(await counts()).toMatchObject({ accepted: 30, processed: 30, failed: 0, waiting: 0 });
  });

  test('whose list lacks files, as a crash of a version before left it, opens whole and lists them', async () => {
    const [first = '', second = ''] = files().toSorted();
    const db = new DatabaseSync(path('millrace.db'));
    db.prepare('DELETE FROM kept_files WHERE file IN (?, ?)').run(first, second);
    db.close();
    await world.start();
    expect(await losses()).toEqual([]);
    expect(await counts()).toMatchObject({ accepted: 30, failed: 0 });
    await world.stop();
    rmSync(path(first));
    await expect(world.start()).rejects.toThrow(`${first} is missing`);
  });

  test('that has no list yet, of a version before, opens and receives one', async () => {
    for (const name of ['millrace.db', 'people.db', ...files()]) {
      const db = new DatabaseSync(path(name));
      // Its other tables are those of that version too: empty, and made again.
      const others = name === 'millrace.db' ? LATER_TABLES : [];
      for (const table of ['folder', 'kept_files', 'made', 'losses', 'expired', ...others]) {
        db.exec(`DROP TABLE IF EXISTS ${table}; PRAGMA user_version = 0`);
      }
      db.close();
    }
    await world.start();
    expect(await losses()).toEqual([]);
    await world.stop();
    rmSync(path(files()[0] ?? ''));
    await expect(world.start()).rejects.toThrow('is not whole');
  });
});

describe('a start that is refused names the file, and what to do', () => {
  beforeEach(async () => {
    await append('a', 300);
    await world.stop();
  });

  test.each(['millrace.db', 'events', 'people.db'])('where %s is damaged behind its first page', async (kind) => {
    const name = kind === 'events' ? (files()[0] ?? '') : kind;
    const content = readFileSync(path(name));
    writeFileSync(path(name), content.fill(0xff, content.readUInt16BE(16)));
    const told = `Cannot use ${path(name)}: database disk image is malformed: it is damaged. Restore a backup.`;
    await expect(world.start()).rejects.toThrow(told);
  });

  test.each(['lanes', 'names', 'counts', 'totals'])('where half a page of the table %s is zeros', async (table) => {
    await world.start();
    await deliver(5);
    await world.stop();
    const name = ['lanes', 'names'].includes(table) ? 'millrace.db' : (files()[0] ?? '');
    const db = new DatabaseSync(path(name));
    const root = Number(db.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.['rootpage']);
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    db.close();
    const content = readFileSync(path(name));
    const pageSize = content.readUInt16BE(16);
    writeFileSync(path(name), content.fill(0, (root - 0.5) * pageSize, root * pageSize));
    const told = `Cannot use ${path(name)}: the table ${table} is malformed: it is damaged. Restore a backup.`;
    await expect(world.start()).rejects.toThrow(told);
  });

  test('on a disk that is read-only', (context) => {
    const disk = smallDiskFor(context, 8);
    cpSync(world.dataDir, disk.folder, { recursive: true });
    spawnSync('mount', ['-o', 'remount,ro', disk.folder]);
    const lock = join(disk.folder, 'millrace.lock');
    expect(() => lockFolder(disk.folder)).toThrow(
      `Cannot use ${lock}: its disk is read-only (EROFS: read-only file system, access '${lock}'): mount it for writing.`,
    );
  });
});

test.each(['', '-wal'])(
  'a file%s that is removed while the store runs is told, and no event is taken',
  async (suffix) => {
    await append('a', 1);
    expect(world.store.trouble()).toBe(null);
    const [file = ''] = files();
    renameSync(path(file + suffix), path('away'));
    await expect(append('b', 1)).rejects.toThrow(`${file}${suffix} was removed or replaced while the service runs`);
    expect(world.store.trouble()).toContain(file);
    renameSync(path('away'), path(file + suffix));
    await append('b', 1);
  },
);

test.each(['millrace.db', 'people.db', 'millrace.lock'])('%s is missed too, and another one in its place', (name) => {
  const told = `${name} was removed or replaced while the service runs. Stop the service, put the file back and start it again`;
  expect(world.store.trouble()).toBe(null);
  renameSync(path(name), path('away'));
  expect(world.store.trouble()).toBe(told);
  writeFileSync(path(name), '');
  expect(world.store.trouble()).toBe(told);
  renameSync(path('away'), path(name));
  expect(world.store.trouble()).toBe(null);
});

/** Replaces a database by one that has nothing but a header. */
function emptied(file: string): void {
  rmSync(file);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL');
  db.close();
}
