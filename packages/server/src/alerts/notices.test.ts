import { expect, onTestFinished, test } from 'vitest';
import { aborted } from '../core/pause.ts';
import { openWorld } from '../stores/sqlite/test-world.ts';
import { noticeOf } from './announce.ts';
import type { Address, Notice } from './contract.ts';
import { Outbox } from './notices.ts';
import { createSendNotice, type SendMail, type Sent } from './sending.ts';

const ADDRESSES: readonly Address[] = ['adr_1', 'adr_2'].map((id) => ({ id, kind: 'email', to: `${id}@example.com` }));

/** An outbox whose attempts end as the test says, with a store and a clock. */
async function begin(
  answer: (address: string, notice: Notice) => Sent['outcome'] | 'hangs' | Promise<void>,
  all: readonly Address[] = ADDRESSES,
) {
  const world = await openWorld();
  const { clock, alerts } = world;
  const tried: string[] = [];
  const lines: string[] = [];
  let wake = (): void => undefined;
  const outbox = new Outbox({
    store: alerts,
    addresses: async () => all,
    clock,
    random: () => 1,
    log: { warn: (_, words) => void lines.push(words), error: (_, words) => void lines.push(words) },
    send(address, notice, signal) {
      tried.push(`${address.id} ${notice.type}`);
      wake();
      const mail: SendMail = async (_mail, ending) => {
        const outcome = answer(address.id, notice);
        await (outcome === 'hangs' ? aborted(ending) : outcome);
        if (outcome !== 'sent') throw Object.assign(new Error(), outcome === 'refused' && { responseCode: 550 });
      };
      const post = (): never => {
        throw new Error('no address is a URL');
      };
      return createSendNotice({ mail, post, timer: clock })(address, notice, signal);
    },
  });
  onTestFinished(async () => {
    await outbox.stop();
    await world.close();
  });
  return {
    ...{ clock, alerts, tried, lines, outbox },
    /** Resolves when so many attempts were made. */
    async attempts(count: number): Promise<void> {
      while (tried.length < count) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        if (tried.length < count) await promise;
      }
    },
    /** Resolves when the store holds so many notices. */
    async left(count: number): Promise<readonly Notice[]> {
      for (;;) {
        const notices = await alerts.notices();
        if (notices.length === count) return notices;
      }
    },
  };
}

const notice = (type: Notice['type'], address: string, at: number): Notice => noticeOf(type, [], address, at);

test('each address gets its notices in their order, and waits for no other', async () => {
  let isUp = false;
  const { clock, alerts, tried, outbox, attempts, left } = await begin((address) =>
    address === 'adr_1' && !isUp ? 'failed' : 'sent',
  );
  const now = clock.now();
  await alerts.save([], [notice('opened', 'adr_1', now), notice('opened', 'adr_2', now)]);
  await alerts.save([], [notice('ended', 'adr_1', now + 1), notice('ended', 'adr_2', now + 1)]);
  clock.advance(1);
  await outbox.start();
  await attempts(3);
  const waiting = await left(2);
  expect(tried.toSorted()).toEqual(['adr_1 opened', 'adr_2 ended', 'adr_2 opened']);
  expect(waiting.map(({ type, rounds }) => [type, rounds])).toEqual([
    ['opened', 1],
    ['ended', 0],
  ]);
  expect(await outbox.trouble()).toBe('notices of alerts did not reach 1 of 2 addresses at the last try');
  isUp = true;
  // The schedule of deliveries: the second round after 5 s at most.
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  clock.advance(5_000);
  await attempts(5);
  expect(tried.slice(3)).toEqual(['adr_1 opened', 'adr_1 ended']);
  await left(0);
  expect(await outbox.trouble()).toBeNull();
});

test('what was sent is not sent again while the store takes nothing', async () => {
  const { clock, alerts, tried, lines, outbox, attempts, left } = await begin(() => 'sent');
  const remove = alerts.removeNotices.bind(alerts);
  let fails = 0;
  // As a database that has gone away.
  alerts.removeNotices = async (ids) => {
    if (fails++ < 2) throw new Error('the database is away');
    await remove(ids);
  };
  await alerts.save([], [notice('opened', 'adr_1', clock.now())]);
  await outbox.start();
  await attempts(1);
  let isLeft = true;
  void left(0).then(() => {
    isLeft = false;
  });
  while (isLeft) {
    if (clock.pending > 0) clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([tried, lines.length]).toEqual([['adr_1 opened'], 2]);
});

test('an address that hangs holds up no other, also with what comes meanwhile', async () => {
  const { clock, alerts, tried, outbox, attempts } = await begin((address) => (address === 'adr_1' ? 'hangs' : 'sent'));
  await alerts.save([], [notice('opened', 'adr_1', clock.now())]);
  await outbox.start();
  await attempts(1);
  const later = [notice('opened', 'adr_2', clock.now() + 1)];
  await alerts.save([], later);
  outbox.wake();
  clock.advance(1);
  await attempts(2);
  expect(tried).toEqual(['adr_1 opened', 'adr_2 opened']);
  expect(await outbox.trouble()).toBeNull();
  clock.advance(60_000);
  while ((await outbox.trouble()) === null) await new Promise((resolve) => setImmediate(resolve));
  expect(await outbox.trouble()).toBe('notices of alerts did not reach 1 of 2 addresses at the last try');
});

test('a stop gives up what hangs, which is sent after the next start', async () => {
  let isUp = false;
  const { clock, alerts, tried, lines, outbox, attempts, left } = await begin(() => (isUp ? 'sent' : 'hangs'));
  await alerts.save([], [notice('opened', 'adr_1', clock.now())]);
  await outbox.start();
  await attempts(1);
  await outbox.stop();
  expect(await left(1)).toMatchObject([{ rounds: 0, firstAt: null }]);
  expect([await outbox.trouble(), lines]).toEqual([null, []]);
  isUp = true;
  await outbox.start();
  await left(0);
  expect(tried).toEqual(['adr_1 opened', 'adr_1 opened']);
});

test('a notice whose address is gone when its attempt fails takes the place of no other', async () => {
  const addresses = [...ADDRESSES];
  const hanging = Promise.withResolvers<void>();
  const of = await begin((address) => (address === 'adr_1' ? hanging.promise : 'failed'), addresses);
  const { clock, alerts, tried, outbox, attempts, left } = of;
  await alerts.save([], [notice('opened', 'adr_1', clock.now()), notice('opened', 'adr_2', clock.now())]);
  await outbox.start();
  await attempts(2);
  addresses.shift();
  outbox.wake();
  await left(1);
  hanging.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  while (tried.length < 3) {
    if (clock.pending > 0) clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(tried[2]).toBe('adr_2 opened');
  expect((await left(1)).map(({ addressId }) => addressId)).toEqual(['adr_2']);
});

test('a notice whose first attempt is still to come, by a clock that was wrong, is sent at once', async () => {
  const { clock, alerts, tried, outbox, left } = await begin(() => 'sent');
  const ahead = clock.now() + 3_600_000;
  await alerts.save([], [{ ...notice('opened', 'adr_1', ahead), rounds: 1, firstAt: ahead, dueAt: ahead + 5_000 }]);
  await outbox.start();
  await left(0);
  expect(tried).toEqual(['adr_1 opened']);
});

test('what is refused, and what failed for a day, is given up and said', async () => {
  const { clock, alerts, lines, outbox, attempts, left } = await begin((address) =>
    address === 'adr_1' ? 'refused' : 'failed',
  );
  const old = { ...notice('opened', 'adr_2', clock.now()), rounds: 50, firstAt: clock.now() - 86_400_000 };
  await alerts.save([], [notice('opened', 'adr_1', clock.now()), old, notice('opened', 'adr_gone', clock.now())]);
  await outbox.start();
  await attempts(2);
  await left(0);
  expect(lines).toEqual(Array(2).fill('a notice of an alert was given up'));
  expect(await outbox.trouble()).toBe('notices of alerts did not reach 2 of 2 addresses at the last try');
});

test('what another process has written is found, at once where a write may have been done', async () => {
  const { clock, alerts, tried, outbox, attempts, left } = await begin(() => 'sent');
  const write = (at: number): Promise<boolean> => alerts.save([], [notice('opened', 'adr_1', at)]);
  await outbox.start();
  await write(clock.now());
  outbox.wake();
  await attempts(1);
  await left(0);
  await write(clock.now() + 1);
  while (tried.length < 2) {
    clock.advance(10_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await left(0)).toEqual([]);
});
