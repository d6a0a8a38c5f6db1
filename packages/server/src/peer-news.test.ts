import { expect, test } from 'vitest';
import { pause } from './core/pause.ts';
import { type NewsListeners, PeerNews } from './peer-news.ts';

/** What one node tells, as another one hears it. */
function between() {
  const heard: unknown[] = [];
  const sizes: number[] = [];
  let hear = (_message: unknown, _node: number): void => undefined;
  const listener: NewsListeners = {
    told: (destinationId, news) => heard.push([destinationId, news]),
    forget: (users) => heard.push(users && [...users]),
    refused: (refusal) => heard.push(refusal),
    rate: (node, perSecond) => heard.push([node, perSecond]),
    missed: () => heard.push('missed'),
  };
  let living = 2;
  const peers = { count: () => living, living: async () => living };
  let has = true;
  let sent = Promise.resolve();
  let answer = hear;
  new PeerNews({
    ...peers,
    // A connection that is made again may bring a message twice.
    async tell(message) {
      for (let i = 0; i < 2; i++) answer(message, 8);
    },
    hear: (call) => {
      hear = call;
    },
    caughtUp: async () => has,
  }).hear(listener);
  const teller = new PeerNews({
    ...peers,
    async tell(message) {
      if ('forgotten' in (message as object)) await sent;
      const text = JSON.stringify(message);
      sizes.push(Buffer.byteLength(text));
      hear(JSON.parse(text), 7);
    },
    hear: (call) => {
      answer = call;
    },
    caughtUp: async () => true,
  });
  teller.hear(listener);
  const cutOff = (): void => {
    has = false;
  };
  const join = (): void => {
    living++;
  };
  const sendAfter = (until: Promise<void>): void => {
    sent = until;
  };
  return { teller, heard, sizes, cutOff, join, sendAfter };
}

test('what is told is heard', async () => {
  const { teller, heard } = between();
  teller.tellOf('dst_1', 'down');
  await teller.forget(new Set(['u', '😀']));
  teller.tellRate(2.5);
  expect(heard).toEqual([
    ['dst_1', 'down'],
    ['u', '😀'],
    [7, 2.5],
  ]);
});

test('many users are told in messages that the database takes', async () => {
  const { teller, heard, sizes } = between();
  const users = Array.from({ length: 2_000 }, (_, i) => `使用者 ${i}`);
  await teller.forget(new Set(users));
  expect(heard.flat()).toEqual(users);
  expect(Math.max(...sizes)).toBeLessThan(7_900);
});

test('an id that no message has room for stands for all persons', async () => {
  const { teller, heard } = between();
  await teller.forget(new Set(['u', 'x'.repeat(10_000)]));
  expect(heard).toEqual([null]);
});

test('a refused call is told, without its part where that has no room', () => {
  const { teller, heard, sizes } = between();
  const refusal = { id: 'a-1', sourceId: 'src_1', at: 1, code: 'invalid_json', message: 'No JSON', part: 'x' } as const;
  teller.tellRefusal(refusal);
  teller.tellRefusal({ ...refusal, part: '\u0001'.repeat(2_000) });
  expect(heard).toEqual([refusal, { ...refusal, part: '' }]);
  expect(Math.max(...sizes)).toBeLessThan(7_900);
});

test('what was told before is heard when the other nodes have answered, or a second later', async () => {
  const { teller, heard, cutOff } = between();
  teller.tellOf('dst_1', 'down');
  const answered = teller.spread().then(() => 'answered');
  expect(await Promise.race([answered, pause(900)])).toBe('answered');
  expect(heard).toEqual([['dst_1', 'down']]);
  cutOff();
  const late = teller.spread().then(() => 'late');
  expect(await Promise.race([late, pause(500)])).toBeUndefined();
  expect(await late).toBe('late');
});

test('users are forgotten when the others have heard of it, however long sending takes', async () => {
  const { teller, heard, sendAfter } = between();
  sendAfter(new Promise((resolve) => setImmediate(resolve)));
  await teller.forget(new Set(['u']));
  expect(heard).toEqual([['u']]);
  sendAfter(Promise.reject(new Error('PostgreSQL does not answer.')));
  await expect(teller.forget(new Set(['u']))).rejects.toThrow('PostgreSQL does not answer.');
});

test('a node that answers twice does not answer for another one', async () => {
  const { teller, join } = between();
  join();
  const answered = teller.spread().then(() => 'answered');
  expect(await Promise.race([answered, pause(500)])).toBeUndefined();
  expect(await answered).toBe('answered');
});
