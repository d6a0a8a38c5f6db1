import type { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Event } from '../core/event.ts';
import { sampleEvent } from '../log/conformance.ts';
import { Rejections } from '../observe/rejections.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import type { LiveEvent, LiveRate, LiveRejection } from './contract.ts';
import { LiveFeed } from './live-feed.ts';

const ALWAYS = async (): Promise<boolean> => true;

let world: SqliteWorld;
let feed: LiveFeed;
/** One for each time that the log was followed. */
let followed: AbortSignal[];
let reported: unknown[];
let broken: Error | null;
let rejections: Rejections;

beforeEach(async () => {
  world = await openWorld();
  followed = [];
  reported = [];
  broken = null;
  rejections = new Rejections();
  feed = new LiveFeed({
    log: {
      async follow(signal) {
        followed.push(signal);
        if (broken) throw broken;
        return world.log.follow(signal);
      },
      fetch: (positions) => world.log.fetch(positions),
    },
    deliveries: world.deliveries,
    rejections,
    clock: world.clock,
    report: (error) => reported.push(error),
  });
});
afterEach(async () => {
  feed.close();
  await world.close();
});

/** Everything that a stream has said, read as it comes. */
class Watched {
  text = '';
  readonly ended: Promise<void>;

  constructor(stream: Readable) {
    stream.on('data', (chunk: Buffer) => {
      this.text += chunk;
    });
    this.ended = new Promise((resolve) => stream.once('close', resolve));
  }

  get events(): LiveEvent[] {
    return this.#messages('event') as LiveEvent[];
  }

  get rejected(): LiveRejection[] {
    return this.#messages('rejected') as LiveRejection[];
  }

  get rates(): LiveRate[] {
    return this.#messages('sampled') as LiveRate[];
  }

  #messages(kind: string): unknown[] {
    const messages = this.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm);
    return [...messages].flatMap(([, event, data]) => (event === kind ? [JSON.parse(data ?? '')] : []));
  }
}

/** Lets a time pass, tick by tick. */
async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    world.clock.advance(100);
    await turn();
  }
}

async function append(count: number, more: Partial<Event> = {}): Promise<void> {
  const now = world.now();
  const ids = Array.from({ length: count }, (_, i) => `${more.sourceId ?? 's'} ${now} ${i}`);
  await world.log.append(ids.map((id) => sampleEvent('s', id, { receivedAt: now, ...more })));
  await turn();
}

test('an event goes out whole, at once, and the second is summed up', async () => {
  await append(1, { name: 'Before' });
  world.clock.advance(1);
  const all = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  const some = new Watched(await feed.watch({ sourceId: 't' }, ALWAYS, 'viewer'));
  await append(2);
  await append(1, { sourceId: 't', type: 'page', name: null, userId: null });
  await pass(100);
  expect(all.events.map(({ sourceId }) => sourceId)).toEqual(['s', 's', 's', 't']);
  expect(all.events[0]).toMatchObject({ event: 'Before' });
  expect(all.events[1]).toEqual({
    position: expect.any(Number),
    messageId: `s ${world.now() - 100} 0`,
    sourceId: 's',
    type: 'track',
    event: 'Order Completed',
    userId: 'u1',
    receivedAt: new Date(world.now() - 100).toISOString(),
    body: expect.stringContaining('"version":1'),
  });
  expect(some.events).toMatchObject([{ sourceId: 't', type: 'page', event: null, userId: null }]);
  await pass(900);
  expect(all.rates).toEqual([{ matched: 3, sent: 3, accepted: 3 }]);
  expect(some.rates).toEqual([{ matched: 1, sent: 1, accepted: 3 }]);
  await pass(1000);
  expect(all.rates[1]).toEqual({ matched: 0, sent: 0, accepted: 0 });
});

test('a stream begins with the last hundred that pass, the oldest first, and repeats none of them', async () => {
  await append(60, { name: 'Wanted' });
  await append(150, { sourceId: 't' });
  world.clock.advance(1);
  await append(60, { name: 'Wanted' });
  const watching = feed.watch({ event: 'Wanted' }, ALWAYS, 'viewer');
  await append(1, { name: 'Wanted', sourceId: 'u' });
  const watched = new Watched(await watching);
  await pass(1_000);
  const ids = watched.events.map(({ messageId }) => messageId);
  expect(ids.at(-1)).toMatch(/^u /);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.length === 100 || ids.length === 101).toBe(true);
  const bodies = new Watched(await feed.watch({ text: 'NO SUCH TEXT' }, ALWAYS, 'viewer'));
  await pass(100);
  expect(bodies.events).toEqual([]);
});

test('what was refused is shown where the filter can let it through', async () => {
  rejections.add('s', world.now(), 'event_required', 'No event', '{"userId":"Ada"}');
  const refused = {
    at: world.now(),
    code: 'unknown_write_key',
    message: 'No source',
    writeKey: 'k',
    address: '::1',
  } as const;
  rejections.unknownKey({ ...refused, userAgent: '' });
  const watch = async (filter: Parameters<LiveFeed['watch']>[0]): Promise<Watched> =>
    new Watched(await feed.watch(filter, ALWAYS, JSON.stringify(filter)));
  const [all, source, text, user] = [
    await watch({}),
    await watch({ sourceId: 's' }),
    await watch({ text: 'ada' }),
    await watch({ userId: 'Ada' }),
  ];
  await pass(200);
  const codes = (watched: Watched): string[] => watched.rejected.map(({ code }) => code);
  expect(codes(all)).toEqual(['event_required', 'unknown_write_key']);
  expect([source, text, user].map(codes)).toEqual([['event_required'], ['event_required'], []]);
  for (let i = 0; i < 50; i++) rejections.add('s', world.now(), 'too_large', `${i}`, '');
  await pass(200);
  expect(all.rejected.slice(2).map(({ message }) => message)).toEqual(['45', '46', '47', '48', '49']);
});

test('of thousands, fifty a second go out, from all over the second', async () => {
  const watched = new Watched(await feed.watch({ type: 'track' }, ALWAYS, 'viewer'));
  for (let i = 0; i < 10; i++) {
    await append(500);
    await append(100, { sourceId: 'other', type: 'identify' });
    await pass(100);
  }
  expect(watched.rates).toEqual([{ matched: 5000, sent: 50, accepted: 6000 }]);
  const tenths = watched.events.map(({ messageId }) => messageId.split(' ')[1]);
  expect(new Set(tenths).size).toBe(10);
});

test('a viewer that does not read is dropped, and the others are not', async () => {
  const idle = await feed.watch({}, ALWAYS, 'viewer');
  const reading = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  const closed = new Promise((resolve) => idle.once('close', resolve));
  const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(30_000) }));
  for (let i = 0; i < 50; i++) {
    await append(5, { body });
    await pass(100);
    expect(idle.readableLength).toBeLessThan(5 * 1024 * 1024);
  }
  await closed;
  expect(idle.destroyed).toBe(true);
  expect(reading.events).toHaveLength(250);
});

test('twenty watch at once; the next one is told so, until one leaves', async () => {
  const streams = await Promise.all(Array.from({ length: 20 }, (_, i) => feed.watch({}, ALWAYS, `viewer ${i}`)));
  await expect(feed.watch({}, ALWAYS, 'viewer')).rejects.toMatchObject({
    code: 'overloaded',
    message: expect.stringContaining('20'),
  });
  const left = new Promise((resolve) => streams[7]?.once('close', resolve));
  streams[7]?.destroy();
  await left;
  await feed.watch({}, ALWAYS, 'viewer');
  expect(followed).toHaveLength(1);
});

test('one caller has five of them: others find room', async () => {
  const [first] = await Promise.all(Array.from({ length: 5 }, () => feed.watch({}, ALWAYS, 'one')));
  await expect(feed.watch({}, ALWAYS, 'one')).rejects.toMatchObject({ code: 'overloaded' });
  await feed.watch({}, ALWAYS, 'another');
  const left = new Promise((resolve) => first?.once('close', resolve));
  first?.destroy();
  await left;
  await feed.watch({}, ALWAYS, 'one');
});

test('the log is followed while somebody watches, and only then', async () => {
  expect(followed).toHaveLength(0);
  const first = await feed.watch({}, ALWAYS, 'viewer');
  const left = new Promise((resolve) => first.once('close', resolve));
  first.destroy();
  await left;
  expect(followed.map(({ aborted }) => aborted)).toEqual([true]);
  expect(world.clock.pending).toBe(0);
  const second = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  await append(1);
  await pass(100);
  expect(second.events).toHaveLength(1);
  expect(followed.map(({ aborted }) => aborted)).toEqual([true, false]);
});

test('a close ends every stream and lets no new viewer in', async () => {
  const watched = await Promise.all([feed.watch({}, ALWAYS, 'viewer'), feed.watch({}, ALWAYS, 'viewer')]);
  const readers = watched.map((stream) => new Watched(stream));
  feed.close();
  await Promise.all(readers.map(({ ended }) => ended));
  expect(watched.every(({ readableEnded }) => readableEnded)).toBe(true);
  await expect(feed.watch({}, ALWAYS, 'viewer')).rejects.toMatchObject({ code: 'overloaded' });
  expect(world.clock.pending).toBe(0);
});

test('a log that cannot be followed is reported, and watched again when it can', async () => {
  broken = new Error('no such stream');
  await expect(feed.watch({}, ALWAYS, 'viewer')).rejects.toMatchObject({ code: 'storage_unavailable' });
  expect(reported).toEqual([broken]);
  broken = null;
  const watched = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  await append(1);
  await pass(100);
  expect(watched.events).toHaveLength(1);
});

test('a quiet stream says now and then that it is there, and ends after a quarter of an hour', async () => {
  const watched = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  await pass(15_000);
  expect(watched.text.match(/^: still here$/gm)).toHaveLength(1);
  await pass(15 * 60_000 - 15_000);
  await watched.ended;
  expect(watched.text.match(/^: still here$/gm)).toHaveLength(60);
  expect(followed[0]?.aborted).toBe(true);
});

test('a viewer whose session ends, or of whom that cannot be known, is told no more; the others watch on', async () => {
  const staying = new Watched(await feed.watch({}, ALWAYS, 'viewer'));
  let may = true;
  const ending = new Watched(await feed.watch({}, async () => may, 'viewer'));
  let lost: Error | null = null;
  const unknown = new Watched(
    await feed.watch(
      {},
      async () => {
        if (lost) throw lost;
        return true;
      },
      'viewer',
    ),
  );
  await pass(1000);
  may = false;
  lost = new Error('the store is gone');
  await pass(1000);
  await Promise.all([ending.ended, unknown.ended]);
  expect(reported).toEqual([lost]);
  await append(1);
  await pass(100);
  expect([staying, ending, unknown].map(({ events }) => events.length)).toEqual([1, 0, 0]);
});
