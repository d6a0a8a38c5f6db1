import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Clock } from '../../packages/server/src/core/clock.ts';
import { SteadyClock, type TimeSource } from '../../packages/server/src/core/steady-clock.ts';
import { type Plan, planOf, planOfNeighbours, START } from './plan.ts';
import { type Result, simulate } from './simulation.ts';

/**
 * The lane loop in simulated worlds, each from a seed. `SEEDS=5000` runs that many; `FROM=1000` begins there; `SEED=7` runs
 * that one alone and prints all that happened in it.
 */
const ONE = process.env['SEED'];
const SEEDS = Number(process.env['SEEDS'] ?? 300);
const FROM = Number(process.env['FROM'] ?? 1);
const NEIGHBOURS = 30;
const JUMPING = 20;
const HOUR = 3_600_000;

if (ONE === undefined) {
  test(
    `every promise holds in ${SEEDS} worlds`,
    async () => {
      let [hours, arrived] = [0, 0];
      for (let seed = FROM; seed < FROM + SEEDS; seed++) {
        const result = await simulate(planOf(seed));
        hours += result.time / HOUR;
        arrived += result.arrivals.size;
        expectWhole(seed, result);
        // Lets the runner of the tests breathe: a simulation never waits for anything real.
        await setImmediate();
      }
      expect(hours).toBeGreaterThan(SEEDS);
      expect(arrived).toBeGreaterThan(SEEDS);
    },
    120_000 + SEEDS * 1000,
  );

  test('the same seed is the same run', async () => {
    const digests = new Set<string>();
    for (const seed of [1, 2, 3, 4, 5]) {
      const { digest } = await simulate(planOf(seed));
      expect((await simulate(planOf(seed))).digest).toBe(digest);
      digests.add(digest);
    }
    expect(digests.size).toBe(5);
  });

  test('a machine whose clock is set back every few minutes makes no difference', async () => {
    /** An hour each five minutes, in each life of the process. */
    const setBack = (world: Clock): Clock => {
      const begun = world.now();
      return shifted(world, () => -HOUR * Math.floor((world.now() - begun) / 300_000));
    };
    for (const seed of [1, 2, 3, 4, 5]) {
      const { digest } = await simulate(planOf(seed));
      expect((await simulate(planOf(seed), false, setBack)).digest).toBe(digest);
    }
  });

  test(`a machine whose clock is set forward ends no window before its time, in ${JUMPING} worlds`, async () => {
    for (let seed = FROM; seed < FROM + JUMPING; seed++) {
      /** Ever further, from an hour to a day. */
      const setForward = (world: Clock): Clock => {
        const jumps = [7, 31, 32, 95].map((minutes, i) => ({
          at: START + minutes * 60_000,
          ms: [1, 2, 6, 24][i] ?? 0,
        }));
        const off = (): number => jumps.reduce((sum, { at, ms }) => (world.now() >= at ? sum + ms * HOUR : sum), 0);
        return shifted(world, off);
      };
      // What a clock skipped in an earlier life of the process is not known in a later one.
      expectWhole(seed, await simulate({ ...planOf(seed), ends: [] }, false, setForward));
      await setImmediate();
    }
  });

  test(`a sick destination delays no other, in ${NEIGHBOURS} worlds`, async () => {
    for (let seed = 1; seed <= NEIGHBOURS; seed++) {
      const plan = planOfNeighbours(seed);
      const beside = await simulate(plan);
      const alone = await simulate(withoutFirst(plan));
      expectCalm(seed, beside);
      expectCalm(seed, alone);
      expect(alone.arrivals.size).toBeGreaterThan(0);
      const slowest = new Map(
        plan.endpoints.map(({ url, behaviour }) => [url, 'ms' in behaviour ? behaviour.ms[1] : 0]),
      );
      for (const [key, at] of alone.arrivals) {
        // They share the recorder and the store's time, and so differ in which message has which place: by a round trip or two.
        const later = (beside.arrivals.get(key) ?? Infinity) - at;
        const most = 20 + 2 * (slowest.get(key.split(' ')[0] ?? '') ?? 0);
        expect(later, `${key} in world ${seed}`).toBeLessThanOrEqual(most);
      }
      await setImmediate();
    }
  });
} else {
  test(`world ${ONE}`, async () => {
    const result = await simulate(planOf(Number(ONE)), true);
    process.stdout.write(`${result.lines.join('\n')}\n`);
    expectWhole(Number(ONE), result);
  });
}

/** The clock of a process on a machine whose clock is off by so much, milliseconds. */
function shifted(world: Clock, off: () => number): Clock {
  const source: TimeSource = {
    now: () => world.now() + off(),
    passed: () => world.now(),
    after: (ms, run) => world.after(ms, run),
  };
  return new SteadyClock({ source, follows: true });
}

function expectWhole(seed: number, { broken }: Result): void {
  expect(broken, `Replay it: SEED=${seed} npx vitest run test/simulation`).toEqual([]);
}

function expectCalm(seed: number, { broken }: Result): void {
  expect(broken, `In the world of neighbours ${seed}`).toEqual([]);
}

function withoutFirst(plan: Plan): Plan {
  return { ...plan, destinations: plan.destinations.slice(1) };
}
