import { beforeEach, expect, test } from 'vitest';
import type { Destination } from '../core/destination.ts';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, refused, retryOf, success, TestLane, TestWorld } from './test-world.ts';

let world: TestWorld;
let lane: TestLane;
let hastened: string[];
/** Until when what was made due had been put into the retry queue, ISO 8601 UTC. */
let until: string[];
beforeEach(() => {
  [hastened, until] = [[], []];
  world = Object.assign(new TestWorld(), {
    hasten: async (id: string, now: number) => {
      until.push(new Date(now).toISOString());
      return hastened.push(id) - 1;
    },
  });
  lane = new TestLane();
});

function runnerOf(destination: Destination): Runner {
  const runner = new Runner(destination, world);
  runner.addLane(laneOf(1), lane);
  return runner;
}

const all = (urls: readonly string[]): Destination => destinationOf(urls, { success: 'all' });

const paused: Destination = {
  ...destinationOf(['a', 'b']),
  webhooks: destinationOf(['a', 'b']).webhooks.map((webhook) =>
    webhook.id === 'b' ? { ...webhook, hold: { since: '2027-01-15T08:00:00.000Z', past: [] } } : webhook,
  ),
};

test.each([
  { when: 'a URL that was paused is removed', before: paused, after: destinationOf(['a']), isDue: true },
  { when: 'another one is removed', before: destinationOf(['a', 'b']), after: destinationOf(['a']), isDue: false },
  {
    when: 'the destination is switched off',
    before: destinationOf(['a']),
    after: destinationOf(['a'], { enabled: false }),
    isDue: true,
  },
  { when: 'a URL is added', before: destinationOf(['a']), after: destinationOf(['a', 'b']), isDue: false },
  { when: 'each URL has to take it from now on', before: destinationOf(['a']), after: all(['a']), isDue: false },
])('what waits in the retry queue is due at once, or in its time, when $when', async ({ before, after, isDue }) => {
  runnerOf(before).update(after);
  await world.pass(0);
  expect(hastened).toEqual(isDue ? ['dst_1'] : []);
});

const FIRST = { since: '2027-01-10T08:00:00.000Z', until: '2027-01-10T09:00:00.000Z' };
const SECOND = { since: '2027-01-11T08:00:00.000Z', until: '2027-01-11T09:00:00.000Z' };

test.each([
  { of: 'the destination', hold: { since: null, past: [FIRST, SECOND] } },
  { of: 'a URL', holdOfUrl: { since: null, past: [FIRST, SECOND] } },
  { of: 'both', hold: { since: null, past: [SECOND] }, holdOfUrl: { since: null, past: [FIRST] } },
])(
  'a process makes due what waited when the last pause of $of ended: the one before may have ended too early',
  async ({ hold, holdOfUrl }) => {
    const { webhooks } = destinationOf(['a']);
    const held = webhooks.map((webhook) => ({ ...webhook, ...(holdOfUrl && { hold: holdOfUrl }) }));
    runnerOf(destinationOf(['a'], { webhooks: held, ...(hold && { hold }) }));
    await world.pass(0);
    expect(until).toEqual([SECOND.until]);
  },
);

test('a process makes due all that waits for a destination that is switched off', async () => {
  runnerOf(destinationOf(['a'], { enabled: false }));
  await world.pass(0);
  expect(until).toEqual([new Date(world.clock.now()).toISOString()]);
});

test('a process leaves the retries of a destination alone that was never paused', async () => {
  runnerOf(destinationOf(['a']));
  await world.pass(0);
  expect(hastened).toEqual([]);
});

test('a URL that is gone fails nothing that another one took by refusing it', async () => {
  const runner = runnerOf(all(['a', 'b', 'c']));
  const urlsLeft = await world.firstRound(lane, { a: success, b: refused, c: down });
  runner.update(all(['a', 'c']));
  const others = [
    retryOf('ended', { urlsLeft: ['gone', '!b', '+'] }),
    retryOf('untaken', { urlsLeft: ['gone', '!b'] }),
  ];
  await world.queue(runner, retryOf('m1', { urlsLeft }), ...others);
  await world.answer('c', success);
  for (const id of ['m1', 'ended']) expect(world.endsOf(id).at(-1)).toMatchObject({ state: 'processed' });
  expect(world.endsOf('untaken')).toMatchObject([{ state: 'failed', reason: 'rejected_by_one' }]);
});

test('the limit of requests at once holds over changes of how they are signed', async () => {
  const policy = { maxConcurrency: 1 };
  const runner = runnerOf(destinationOf(['a'], { policy }));
  await lane.give(entryOf('m1'), entryOf('m2'), entryOf('m3'));
  for (const sharedSecret of ['one', 'two']) {
    runner.update(destinationOf(['a'], { policy, sharedSecret }));
    await world.pass(0);
  }
  expect(world.underWay).toEqual(['a m1']);
  await world.answer('a', success, 'm1');
  expect(world.underWay).toEqual(['a m2']);
});
