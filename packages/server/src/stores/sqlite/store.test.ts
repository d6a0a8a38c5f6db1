import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import type { LogEntry } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import { listAll, replayOf, resultOf } from '../../record/conformance.ts';
import { hashId } from './hash.ts';
import { livePath } from './live.ts';
import { partitionPath } from './partition.ts';
import { openSqliteStore, type SqliteStoreOptions } from './store.ts';
import { openWorld, SMALL, type SqliteWorld } from './test-world.ts';

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

let world: SqliteWorld;
afterEach(() => world.close());

async function start(options: Partial<SqliteStoreOptions> = SMALL): Promise<void> {
  world = await openWorld(options);
}

const append = (...ids: string[]) =>
  world.log.append(ids.map((id) => sampleEvent('s', id, { receivedAt: world.now() })));

const NO_SEED = { high: 0, low: 0 };

/** Two ids with the same hash, for the first source of a store with that seed. */
const COLLIDING = ['\u0823\u6c42\u0020', '\u0356\u0f76\u2665'] as const;

const numbered = (count: number, prefix = 'm'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

const idsOf = (entries: readonly LogEntry[]): string[] => entries.map(({ messageId }) => messageId);

const files = (): string[] =>
  readdirSync(world.dataDir)
    .filter((name) => /^events-.*\.db$/.test(name))
    .toSorted();

const counts = async () => (await world.deliveries.counts(['d']))[0]?.counts;

/** Hands out the lane's next entries, records them as processed and acknowledges them. */
async function deliver(lane: Lane, count: number): Promise<LogEntry[]> {
  await world.log.lanes();
  const reader = world.log.read(lane.id);
  const entries = await take(reader, count);
  await world.settle(lane, entries);
  reader.ack(entries.map(({ position }) => position));
  return entries;
}

describe('duplicates', () => {
  test('are found in sealed runs, in older partitions and in memory, and nothing else is', async () => {
    await start();
    const ids = numbered(400);
    for (let i = 0; i < ids.length; i += 10) {
      await append(...ids.slice(i, i + 10));
      world.advance(HOUR / 2);
    }
    expect(files().length).toBeGreaterThan(0);
    for (let round = 0; round < 2; round++) {
      const { duplicates } = await append(...ids.slice(-400 + 10));
      // What is in the window of 24 hours: 48 batches of 10, and one at its very edge.
      expect(duplicates.length).toBe(390);
      expect((await append(...numbered(100, `new ${round} `))).duplicates).toEqual([]);
      await world.reopen();
    }
  });

  test('are told, and a user is found, without the bodies', async () => {
    await start();
    const anonymous = (id: string) => ({
      ...sampleEvent('s', id, { receivedAt: world.now(), userId: null }),
      anonymousId: 'x',
    });
    await world.log.append([anonymous('a'), anonymous('b')]);
    await world.stop();
    const db = new DatabaseSync(join(world.dataDir, files()[0] ?? ''));
    db.exec("UPDATE events SET body = x'7b7d'");
    db.close();
    await world.start();
    expect(await world.log.append([anonymous('a')])).toEqual({ duplicates: [0] });
    expect(await world.log.append([{ ...anonymous('a'), anonymousId: 'y' }])).toEqual({ duplicates: [] });
    const { events } = await world.store.erasure.find(['x'], 0, await world.store.erasure.end());
    expect(events).toHaveLength(2);
  });

  test('are told from ids with the same hash: no event is lost', async () => {
    await start({ ...SMALL, idSeed: NO_SEED });
    const lane = await world.log.openLane('s', 'd');
    const [one, other] = COLLIDING;
    const [hash, same] = [
      { high: 0, low: 0 },
      { high: 0, low: 0 },
    ];
    hashId(NO_SEED, 1, one, hash);
    hashId(NO_SEED, 1, other, same);
    expect(hash).toEqual(same);
    expect(await append(one)).toEqual({ duplicates: [] });
    expect(await append(other, one)).toEqual({ duplicates: [1] });
    await append(...numbered(40));
    expect(await append(other, one)).toEqual({ duplicates: [0, 1] });
    expect(idsOf(await take(world.log.read(lane.id), 42)).slice(0, 2)).toEqual([one, other]);
    expect((await world.log.find(one, ['s']))?.messageId).toBe(one);
    expect((await world.log.find(other, ['s']))?.messageId).toBe(other);
  });

  test('are found though a later event of the run was received before', async () => {
    await start({ ...SMALL, partitionLength: 10 * DAY });
    const late = world.now() + HOUR;
    const others = numbered(40).map((id) => sampleEvent('s', id, { receivedAt: world.now() }));
    await world.log.append([sampleEvent('s', 'late', { receivedAt: late }), ...others]);
    await append('after the run was sealed');
    world.advance(DAY + HOUR);
    expect(await append('late')).toEqual({ duplicates: [0] });
    await world.reopen();
    expect(await append('late')).toEqual({ duplicates: [0] });
    world.advance(1);
    expect(await append('late')).toEqual({ duplicates: [] });
  });
});

describe('partitions', () => {
  test('follow each other with every promise kept', async () => {
    await start({ ...SMALL, partitionLength: HOUR });
    const lane = await world.log.openLane('s', 'd');
    const lagging = await world.log.openLane('s', 'lagging');
    const ids = numbered(200);
    for (let i = 0; i < ids.length; i += 20) {
      const [append1] = await Promise.all([append(...ids.slice(i, i + 20)), deliver(lane, 20)]);
      expect(append1).toEqual({ duplicates: [] });
      world.advance(HOUR);
    }
    expect(files()).toHaveLength(10);
    expect(idsOf(await take(world.log.read(lagging.id), 200))).toEqual(ids);
    expect(await counts()).toMatchObject({ accepted: 200, processed: 200, waiting: 0 });
    await world.crash();
    expect(await counts()).toMatchObject({ accepted: 200, processed: 200, waiting: 0 });
    expect((await append(...ids)).duplicates).toHaveLength(200);
    const all = await listAll(world.deliveries, { limit: 7 });
    expect(all.map(({ messageId }) => messageId)).toEqual(ids.toReversed());
  });

  test('change in the middle of a commit of appends and delivery results', async () => {
    await start({ ...SMALL, partitionLength: HOUR });
    const lane = await world.log.openLane('s', 'd');
    await append('a', 'b');
    const entries = await take(world.log.read(lane.id), 2);
    world.advance(HOUR);
    await Promise.all([world.settle(lane, entries.slice(0, 1)), append('c'), world.settle(lane, entries)]);
    expect(await counts()).toMatchObject({ accepted: 3, processed: 2, waiting: 1 });
    await world.crash();
    expect(await counts()).toMatchObject({ accepted: 3, processed: 2, waiting: 1 });
    expect(idsOf(await deliver(lane, 1))).toEqual(['c']);
  });

  test('hand out a message of the retry queue once, while the commit that put it there goes on in another file', async () => {
    await start({ ...SMALL, partitionLength: HOUR });
    const lane = await world.log.openLane('s', 'd');
    const ids = numbered(4000);
    await append('first');
    world.advance(HOUR);
    await append(...ids);
    const [first, ...others] = await take(world.log.read(lane.id), 1 + ids.length);
    const retrying = { state: 'retrying', dueAt: 0, urlsLeft: [] } as const;
    const settling = world.deliveries.settle([
      resultOf(lane, first ?? expect.fail(), retrying),
      ...others.map((entry) => resultOf(lane, entry, { ...retrying, dueAt: world.now() + DAY })),
    ]);
    let isSettled = false;
    void settling.then(() => {
      isSettled = true;
    });
    const claimed: LogEntry[] = [];
    const claim = async () =>
      claimed.push(...(await world.deliveries.claimDue('d', world.now(), 9)).items.map(({ entry }) => entry));
    while (!isSettled) await claim();
    await claim();
    expect(idsOf(claimed)).toEqual(['first']);
  });

  test('that a crash left made and not begun keep the totals', async () => {
    await start({ ...SMALL, partitionLength: HOUR });
    const lane = await world.log.openLane('s', 'd');
    await append('a', 'b', 'b');
    await world.stop();
    const startedAt = String(world.now() + HOUR).padStart(13, '0');
    const left = join(world.dataDir, `events-${startedAt}-3.db`);
    cpSync(join(world.dataDir, files()[0] ?? ''), left);
    const db = new DatabaseSync(left);
    for (const table of ['events', 'deliveries', 'counts', 'totals', 'ids']) db.exec(`DELETE FROM ${table}`);
    db.close();
    await world.start();
    expect((await world.log.totals()).get('s')).toEqual({ accepted: 2, duplicates: 1 });
    await append('c');
    await world.reopen();
    expect((await world.log.totals()).get('s')).toEqual({ accepted: 3, duplicates: 1 });
    expect(await counts()).toMatchObject({ accepted: 3, waiting: 3 });
    expect(idsOf(await take(world.log.read((await world.log.lanes())[0]?.id ?? lane.id), 3))).toEqual(['a', 'b', 'c']);
  });

  test('and a clock that goes back lose nothing', async () => {
    await start({ ...SMALL, partitionLength: HOUR });
    const lane = await world.log.openLane('s', 'd');
    await append('a');
    world.clock.advance(2 * HOUR);
    await append('b');
    const stepped = { ...world.clock, now: () => world.clock.now() - 5 * HOUR, after: () => () => undefined };
    await world.stop();
    const store = await openSqliteStore({ ...SMALL, dataDir: world.dataDir, clock: stepped, partitionLength: HOUR });
    const event = (id: string) => sampleEvent('s', id, { receivedAt: stepped.now() });
    expect(await store.log.append([event('a'), event('c'), event('b')])).toEqual({ duplicates: [0, 2] });
    await store.close();
    await world.start();
    await append('d');
    expect(idsOf(await deliver(lane, 4))).toEqual(['a', 'b', 'c', 'd']);
    expect((await listAll(world.deliveries)).map(({ messageId }) => messageId)).toEqual(['d', 'c', 'b', 'a']);
  });
});

describe('retention', () => {
  test('removes the files of what is dropped, oldest first, and finds duplicates as before', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    for (let day = 0; day < 6; day++) {
      await append(...numbered(20, `day ${day} `));
      await deliver(lane, 20);
      world.advance(DAY);
    }
    const before = files();
    expect(before).toHaveLength(6);
    expect(await world.retention.expire(world.now() - 3 * DAY)).toBe(3);
    expect(files().slice(0, 3)).toEqual(before.slice(3));
    expect(readdirSync(world.dataDir).filter((name) => name.startsWith(before[0] ?? '?'))).toEqual([]);
    expect(await counts()).toMatchObject({ accepted: 120, processed: 120, waiting: 0 });
    expect((await append(...numbered(20, 'day 5 '))).duplicates).toHaveLength(20);
    expect((await append(...numbered(20, 'day 0 '))).duplicates).toHaveLength(0);
    await world.crash();
    expect(await counts()).toMatchObject({ accepted: 140, processed: 120, waiting: 20 });
  });

  test('keeps no counts of a replay that is gone before the file of its messages', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    await append('a');
    const [a] = await deliver(lane, 1);
    const replay = replayOf({ id: 'over', status: 'done', createdAt: world.now() - 1 });
    await world.deliveries.saveReplay(replay);
    await world.deliveries.requeue('d', [{ position: a?.position ?? 0, dueAt: 1 }], 'over');
    const [again] = (await world.deliveries.claimDue('d', world.now(), 9)).items;
    await world.deliveries.settle([resultOf(lane, again?.entry ?? expect.fail())]);
    await world.log.openLane('s', 'another');
    expect(await world.retention.expire(world.now())).toBe(0);
    world.advance(9 * DAY);
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    await world.stop();
    const live = new DatabaseSync(livePath(world.dataDir));
    expect(live.prepare('SELECT lane, processed FROM dropped_counts').all()).toEqual([{ lane: 1, processed: 1 }]);
    expect(live.prepare('SELECT name FROM names ORDER BY number').all()).toEqual(
      ['s', 'd', 'another'].map((name) => ({ name })),
    );
    live.close();
  });

  test('passes over a file that a lane waits for, and takes the hole for no loss', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    for (let day = 0; day < 6; day++) {
      // Nothing is accepted into the file of this day: the next one begins where it does.
      if (day === 4) await append('day 3');
      if (day === 4) world.advance(DAY);
      await append(`day ${day}`);
      if (day === 2) {
        await world.log.lanes();
        const [entry] = await take(world.log.read(lane.id), 1);
        if (!entry) throw new Error('It is there.');
        const retrying = { state: 'retrying', reason: null, dueAt: world.now() + DAY } as const;
        await world.deliveries.settle([resultOf(lane, entry, retrying)]);
      } else await deliver(lane, 1);
      world.advance(DAY);
    }
    const before = files();
    expect(await world.retention.expire(world.now() - DAY)).toBe(5);
    expect(files().slice(0, 2)).toEqual([before[2], before[6]]);
    await world.reopen();
    expect(await world.store.losses.list()).toEqual([]);
    expect(await counts()).toMatchObject({ accepted: 6, processed: 5, waiting: 1, retrying: 1 });
    const claim = await world.deliveries.claimDue('d', world.now(), 9);
    expect(claim.items.map(({ entry }) => entry.messageId)).toEqual(['day 2']);
    await world.deliveries.settle([resultOf(lane, claim.items[0]?.entry ?? expect.fail())]);
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    await world.reopen();
    expect([await world.store.losses.list(), files().length]).toEqual([[], 2]);
    expect(await append('new')).toEqual({ duplicates: [] });
  });

  test('goes on after a clock that was a year ahead is set right', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    world.advance(365 * DAY);
    await append('ahead');
    await deliver(lane, 1);
    await world.stop();
    world.advance(-365 * DAY);
    await world.start();
    for (let day = 0; day < 4; day++) {
      await append(`day ${day}`);
      await deliver(lane, 1);
      world.advance(DAY);
    }
    expect(files()).toHaveLength(5);
    expect(await world.retention.expire(world.now() - 2 * DAY)).toBeGreaterThanOrEqual(2);
    expect(await counts()).toMatchObject({ accepted: 5, processed: 5 });
  });

  test('is whole after a start by a clock that was ahead, in which nothing came', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    await append('before');
    await deliver(lane, 1);
    await world.stop();
    world.advance(3 * DAY);
    await world.start();
    await world.retention.expire(world.now() - 7 * DAY);
    await world.stop();
    world.advance(-3 * DAY);
    await world.start();
    await append('after', 'waits');
    await deliver(lane, 1);
    await world.reopen();
    expect(await world.store.losses.list()).toEqual([]);
    expect(await counts()).toMatchObject({ accepted: 3, processed: 2, failed: 0, waiting: 1 });
    await append('last');
    expect(await append('after', 'waits')).toMatchObject({ duplicates: [0, 1] });
    expect(idsOf(await deliver(lane, 2))).toEqual(['waits', 'last']);
  });

  test('drops what is old though nothing new arrives', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    await append('a');
    await deliver(lane, 1);
    world.advance(10 * DAY);
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    expect(await world.retention.expire(world.now() - DAY)).toBe(0);
    expect(files()).toHaveLength(1);
    await append('b');
    await world.reopen();
    expect(await counts()).toMatchObject({ accepted: 2, processed: 1, waiting: 1 });
    expect(idsOf(await deliver(lane, 1))).toEqual(['b']);
  });

  test('makes room on a disk that has none for the next partition', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    for (const id of ['a', 'b']) {
      await append(id);
      await deliver(lane, 1);
      world.advance(2 * DAY);
    }
    world.advance(10 * DAY);
    const next = partitionPath(world.dataDir, world.now(), 3);
    mkdirSync(next);
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    rmSync(next, { recursive: true, force: true });
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    await append('c');
    expect(await counts()).toMatchObject({ accepted: 3, processed: 2, waiting: 1 });
  });

  test('that was cut off between the counts and the file goes on at the next start', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    await append('a');
    await deliver(lane, 1);
    const [file = ''] = files();
    const kept = join(world.dataDir, 'kept');
    // Everything is in the file itself once its log is written back.
    await world.reopen();
    cpSync(join(world.dataDir, file), kept);
    world.advance(10 * DAY);
    await append('b');
    expect(await world.retention.expire(world.now() - DAY)).toBe(1);
    await world.stop();
    cpSync(kept, join(world.dataDir, file));
    writeFileSync(join(world.dataDir, `${file}-wal`), '');
    const live = new DatabaseSync(join(world.dataDir, 'millrace.db'));
    live.prepare('INSERT INTO dropped_partitions (file) VALUES (?)').run(file);
    live.close();
    await world.start();
    expect(files()).toHaveLength(1);
    expect(existsSync(join(world.dataDir, `${file}-wal`))).toBe(false);
    expect(await counts()).toMatchObject({ accepted: 2, processed: 1, waiting: 1 });
  });

  test('of a lane that was removed leaves nothing to the next one', async () => {
    await start();
    const lane = await world.log.openLane('s', 'd');
    await append('a');
    await deliver(lane, 1);
    await world.log.removeLane(lane.id);
    await world.reopen();
    await world.log.openLane('s', 'd');
    expect(await counts()).toMatchObject({ accepted: 0, processed: 0, waiting: 0 });
  });
});

describe('partitions of a version that kept no time of events', () => {
  test('go on: what is in them happened when it was received', async () => {
    await start();
    const received = world.now();
    await append('old', 'older');
    await world.stop();
    const [file = ''] = files();
    const db = new DatabaseSync(join(world.dataDir, file));
    db.exec('ALTER TABLE events DROP COLUMN age');
    db.close();
    for (let round = 0; round < 2; round++) {
      await world.start();
      const messageId = `new ${round}`;
      await world.log.append([sampleEvent('s', messageId, { receivedAt: received, timestamp: received - DAY })]);
      const { positions } = await world.log.scan(0, 10);
      const entries = await world.log.fetch([...positions]);
      expect(entries.map((entry) => [entry?.messageId, entry?.timestamp])).toEqual([
        ['old', received],
        ['older', received],
        ...numbered(round + 1, 'new ').map((id) => [id, received - DAY]),
      ]);
      await world.stop();
    }
    await world.start();
  });
});

describe('opening', () => {
  const open = (dataDir: string) => openSqliteStore({ dataDir, clock: world.clock });

  test('a folder that another process has is refused', async () => {
    await start();
    await expect(open(world.dataDir)).rejects.toThrow(
      `The data folder ${world.dataDir} is in use by another Millrace process`,
    );
    const script = `import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, 'store.ts'))};
      import { systemClock } from ${JSON.stringify(join(import.meta.dirname, '../../core/clock.ts'))};
      await openSqliteStore({ dataDir: ${JSON.stringify(world.dataDir)}, clock: systemClock })
        .then(() => console.log('opened'), (error) => console.log(error.message));
      process.exit();`;
    writeFileSync(join(world.dataDir, 'other.mjs'), script);
    const other = spawn(process.execPath, [join(world.dataDir, 'other.mjs')]);
    const output = other.stdout.setEncoding('utf8').toArray();
    await once(other, 'exit');
    expect((await output).join('')).toContain('is in use by another Millrace process');
    await append('a');
  });

  test.for(['millrace.db', 'events'])('a file that is damaged is named: %s', async (kind) => {
    await start();
    await append('a');
    await world.stop();
    const [events = ''] = files();
    const file = join(world.dataDir, kind === 'events' ? events : kind);
    writeFileSync(file, 'not a database, and long enough to look like one'.repeat(100));
    await expect(open(world.dataDir)).rejects.toThrow(`Cannot use ${file}: file is not a database`);
    // Nothing of the attempt is left that could stand in the way of the next one.
    await expect(open(world.dataDir)).rejects.toThrow('file is not a database');
  });

  test('a folder that cannot be written says so', async () => {
    await start();
    const blocked = join(world.dataDir, 'blocked');
    mkdirSync(join(blocked, 'millrace.lock'), { recursive: true });
    await expect(open(blocked)).rejects.toThrow(`The data folder ${blocked} cannot be used.`);
    writeFileSync(join(world.dataDir, 'file'), '');
    await expect(open(join(world.dataDir, 'file', 'below'))).rejects.toThrow(join(world.dataDir, 'file'));
    rmSync(blocked, { recursive: true });
  });
});
