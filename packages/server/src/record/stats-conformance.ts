import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MOST_TALLIES, type Tally } from '../core/tally.ts';
import type { Retention, StatsAddition, StatsStore, StatsSums } from './contract.ts';

/** An implementation in an empty world of its own, as its tests open it. */
export interface StatsWorld {
  /** The statistics; others after `reopen`. */
  readonly stats: StatsStore;
  readonly retention: Retention;
  /** Closes in good order and opens again. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A midnight. */
const START = Date.UTC(2026, 10, 2);

/** A minute in which nothing happened but what is given. */
export function minute(subject: string, at: number, more: Partial<StatsAddition> = {}): StatsAddition {
  const none = {
    accepted: 0,
    rejected: 0,
    processed: 0,
    failed: 0,
    filtered: 0,
    retried: 0,
    lastAt: null,
    triedAt: null,
  };
  return { subject, at, ...none, latency: new Uint32Array(), attempts: new Map(), ...more };
}

/** The sums with their latency as pairs of bucket and count. */
function plain(sums: StatsSums | undefined): object {
  const pairs = [...(sums?.latency ?? [])].map((count, bucket) => [bucket, count]);
  const attempts = Object.fromEntries(sums?.attempts ?? []);
  return { ...sums, attempts, latency: pairs.filter(([, count]) => count !== 0) };
}

/** What every `StatsStore` promises (record/contract.ts), as tests. `open` gives each test a new world. */
export function statsConformance(name: string, open: () => Promise<StatsWorld>): void {
  describe(`${name} keeps the contract of statistics`, () => {
    let world: StatsWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const series = (subjects: readonly string[], from: number, to: number, step: number) =>
      world.stats.series({ subjects, from, to, step });

    test('adds to what was counted before, after a restart too', async () => {
      const latency = (...counts: number[]): Uint32Array => Uint32Array.from(counts);
      await world.stats.add([
        minute('d', START, {
          ...{ accepted: 1, rejected: 2, processed: 3, latency: latency(0, 3) },
          attempts: new Map([
            ['ok https://a', [3, 5, 9]],
            ['503 https://b', [1, 7, 7]],
          ]),
        }),
        minute('e', START, { processed: 100 }),
      ]);
      await world.reopen();
      await world.stats.add([
        minute('d', START, { processed: 4, failed: 5, filtered: 6, retried: 7, latency: latency(1, 2, 0, 0, 9) }),
        minute('d', START, { accepted: 70_000, attempts: new Map([['503 https://b', [4, 6, 12]]]) }),
      ]);
      const [only, ...others] = await series(['d'], START, START + MINUTE, MINUTE);
      expect(others).toEqual([]);
      const sums = { accepted: 70_001, rejected: 2, processed: 7, failed: 5, filtered: 6, retried: 7 };
      expect(plain(only)).toEqual({
        at: START,
        ...sums,
        attempts: { 'ok https://a': [3, 5, 9], '503 https://b': [5, 6, 12] },
        latency: [
          [0, 1],
          [1, 5],
          [4, 9],
        ],
      });
    });

    test.each([1, 2, 5, 7, 30, 60, 120, 1440, 4320])(
      'sums steps of %i minutes, over several subjects',
      async (minutes) => {
        const step = minutes * MINUTE;
        // Every 13 minutes for three days, so that steps of each length begin and end in between.
        const times = Array.from({ length: Math.ceil((3 * DAY) / (13 * MINUTE)) }, (_, i) => START + i * 13 * MINUTE);
        await world.stats.add(times.map((at, i) => minute('d', at, { processed: 1, latency: new Uint32Array(i % 4) })));
        await world.stats.add(times.map((at) => minute('e', at, { processed: 10 })));
        await world.stats.add(times.map((at) => minute('other', at, { processed: 1000 })));
        const to = START + Math.floor((3 * DAY) / step) * step + step;
        for (const from of [START, START + step]) {
          const expected = new Map<number, number>();
          for (const at of times.filter((each) => each >= from && each < to)) {
            const begin = at - ((at - from) % step);
            expected.set(begin, (expected.get(begin) ?? 0) + 11);
          }
          const read = await series(['d', 'unknown', 'e'], from, to, step);
          expect(read.map(({ at, processed }) => [at, processed])).toEqual([...expected]);
          const sum = [...expected.values()].reduce((a, b) => a + b, 0);
          const totals = await world.stats.totals(['e', 'd', 'unknown'], from, to);
          expect([...totals.values()].reduce((all, { processed }) => all + processed, 0)).toBe(sum);
          expect([...totals.keys()].toSorted()).toEqual(sum === 0 ? [] : ['d', 'e']);
        }
      },
    );

    test('knows of a range what is in it: its first minute, and none after its last', async () => {
      const at = START + 59 * MINUTE;
      await world.stats.add([at - MINUTE, at, at + MINUTE].map((each, i) => minute('s', each, { accepted: 10 ** i })));
      expect(await series(['s'], at, at + MINUTE, MINUTE)).toMatchObject([{ at, accepted: 10 }]);
      expect((await world.stats.totals(['s'], at, at + 2 * MINUTE)).get('s')).toMatchObject({ at, accepted: 110 });
      expect((await world.stats.totals(['s'], at, at + 5 * MINUTE)).get('s')).toMatchObject({ at, accepted: 110 });
      expect(await series([], at, at + HOUR, MINUTE)).toEqual([]);
    });

    test('knows what was accepted of each subject, minute by minute', async () => {
      const [at, next] = [START + 59 * MINUTE, START + 60 * MINUTE];
      await world.stats.add([minute('s', at - MINUTE, { accepted: 9 }), minute('s', next + MINUTE, { accepted: 9 })]);
      await world.stats.add([minute('s', at, { accepted: 1 }), minute('t', at, { rejected: 1 })]);
      await world.stats.add([minute('s', at, { accepted: 2 }), minute('u', next, { accepted: 4 })]);
      expect(await world.stats.accepted(['s', 't', 'u', 'unknown'], at, next + MINUTE)).toEqual(
        new Map([
          ['s', new Map([[at, 3]])],
          ['u', new Map([[next, 4]])],
        ]),
      );
      expect(await world.stats.accepted([], at, next)).toEqual(new Map());
    });

    test('keeps the most frequent ends of attempts apart, and counts all', async () => {
      const ends = Array.from({ length: 100 }, (_, i): [string, Tally] => [`${400 + i} https://a`, [i + 1, i, i]]);
      await world.stats.add([minute('d', START, { attempts: new Map(ends.slice(50)) })]);
      await world.stats.add([minute('d', START, { attempts: new Map(ends.slice(0, 50)) })]);
      const sums = (await world.stats.totals(['d'], START, START + MINUTE)).get('d');
      const tallies = sums?.attempts ?? new Map<string, Tally>();
      expect(tallies.size).toBe(MOST_TALLIES);
      expect(tallies.get('499 https://a')).toEqual([100, 99, 99]);
      expect([...tallies.values()].reduce((sum, [count]) => sum + count, 0)).toBe((100 * 101) / 2);
    });

    test('an end that is none any more is taken out of its minute', async () => {
      await world.stats.add([minute('d', START, { failed: 5 }), minute('d', START + MINUTE, { failed: 1 })]);
      await world.stats.add([minute('d', START, { failed: -5 })]);
      expect((await world.stats.totals(['d'], START, START + HOUR)).get('d')?.failed).toBe(1);
    });

    test('knows when the last event and the last attempt were, whatever order it is told in', async () => {
      await world.stats.add([minute('s', START, { lastAt: START + 5 }), minute('t', START)]);
      await world.stats.add([minute('s', START, { lastAt: START + 3, triedAt: START + 8 })]);
      const last = { lastAt: START + 5, triedAt: START + 8 };
      expect(await world.stats.last(['s', 't', 'unknown'])).toEqual(new Map([['s', last]]));
      await world.stats.add([minute('s', START, { lastAt: START + 9 }), minute('d', START, { triedAt: START })]);
      expect(await world.stats.last(['s', 'd'])).toEqual(
        new Map([
          ['s', { ...last, lastAt: START + 9 }],
          ['d', { lastAt: null, triedAt: START }],
        ]),
      );
    });

    test('retention drops what is older, and nothing else', async () => {
      const old = START + DAY + 7 * MINUTE;
      await world.stats.add([
        minute('s', old - 3 * HOUR, { accepted: 1, lastAt: old - 1 }),
        minute('s', old, { accepted: 10 }),
        minute('d', old + DAY, { processed: 100, lastAt: old + DAY }),
      ]);
      await world.retention.expire(old);
      for (const step of [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR]) {
        const all = await series(['s', 'd'], START, START + 3 * DAY, step);
        expect(all.map(({ accepted, processed }) => accepted + processed)).toEqual([10, 100]);
      }
      const last = [
        ['s', { lastAt: old - 1, triedAt: null }],
        ['d', { lastAt: old + DAY, triedAt: null }],
      ] as const;
      expect(await world.stats.last(['s', 'd'])).toEqual(new Map(last));
      await world.retention.expire(old + 400 * DAY);
      expect(await world.stats.last(['s', 'd'])).toEqual(new Map(last.slice(1)));
    });

    test('retention leaves the statistics of a day until it is over', async () => {
      await world.stats.add([minute('s', START, { accepted: 1 }), minute('s', START + 20 * HOUR, { accepted: 10 })]);
      await world.retention.expire(START + DAY - 1);
      expect((await world.stats.totals(['s'], START, START + DAY)).get('s')?.accepted).toBe(11);
      await world.retention.expire(START + DAY);
      expect(await world.stats.totals(['s'], START, START + DAY)).toEqual(new Map());
    });

    test('a last time that was written by a clock that was ahead gives way to the next', async () => {
      const wrong = START + 2 * DAY;
      await world.stats.add([minute('d', wrong, { processed: 1, lastAt: wrong, triedAt: wrong })]);
      await world.stats.add([minute('d', START, { triedAt: START })], wrong);
      expect(await world.stats.last(['d'])).toEqual(new Map([['d', { lastAt: wrong, triedAt: wrong }]]));
      await world.stats.add([minute('d', START, { triedAt: START })], START);
      expect(await world.stats.last(['d'])).toEqual(new Map([['d', { lastAt: wrong, triedAt: START }]]));
      await world.stats.add([minute('d', START, { processed: 1, lastAt: START + 1, triedAt: START + 1 })], START);
      await world.stats.add([minute('d', START, { processed: 1, lastAt: START, triedAt: START })], START);
      expect(await world.stats.last(['d'])).toEqual(new Map([['d', { lastAt: START + 1, triedAt: START + 1 }]]));
    });
  });
}
