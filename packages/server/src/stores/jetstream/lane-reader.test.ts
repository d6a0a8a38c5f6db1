import { type ConsumerInfo, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ACK_WAIT,
  type JetStreamWorld,
  openLogWorld,
  type Servers,
  startServers,
} from '../../../../../test/cluster/log-world.ts';
import { needNats } from '../../../../../test/cluster/nats.ts';
import type { LogEntry } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { EventLog, LaneReader } from '../../log/contract.ts';
import { encodeBatch } from './batch.ts';
import { positionOf, seqOf } from './position.ts';

const nats = await needNats();

describe.skipIf(!nats)('a lane on JetStream', () => {
  let servers: Servers;
  let nc: NatsConnection;
  let jsm: JetStreamManager;
  let world: JetStreamWorld;
  let lane: Lane;
  beforeAll(async () => {
    servers = await startServers();
    nc = await connect({ servers: servers.nats.url });
    jsm = await jetstreamManager(nc);
  });
  afterAll(async () => {
    await nc?.close();
    await servers?.stop();
  });
  beforeEach(async () => {
    world = await openLogWorld(servers);
    lane = await world.log.openLane('s', 'd');
  });
  afterEach(() => world.close());

  const ids = (entries: readonly LogEntry[]): string[] => entries.map(({ messageId }) => messageId);
  const numbered = (count: number): string[] => Array.from({ length: count }, (_, i) => `m${i}`);
  /** Appends events together: one batch. */
  const append = (...messageIds: string[]) =>
    world.log.append(messageIds.map((id) => sampleEvent('s', id, { receivedAt: world.now() })));
  const settle = async (reader: LaneReader, entries: readonly LogEntry[]): Promise<void> => {
    await world.settle(lane, entries);
    reader.ack(entries.map(({ position }) => position));
  };
  const readerOf = async (log: EventLog): Promise<LaneReader> => {
    await log.lanes();
    return log.read(lane.id);
  };
  /** A reader whose next request is for four batches. */
  const growing = async (): Promise<LaneReader> => {
    const reader = await readerOf(world.log);
    for (const id of numbered(3)) {
      await append(id);
      await settle(reader, await reader.pull(1, soon()));
    }
    return reader;
  };
  const soon = (): AbortSignal => AbortSignal.timeout(10_000);
  const consumer = ({ id } = lane): Promise<ConsumerInfo> =>
    jsm.consumers.info(`${world.prefix}-events-0`, `lane-${id}`);
  const made = () => expect.poll(() => consumer().catch(() => null)).not.toBeNull();
  /** As another version would, or a move. */
  const publish = (batch: Uint8Array) => jsm.jetstream().publish(`${world.prefix}.events.0.s`, batch);

  test('gives batches back in their order, those too that were on their way to it when it was closed', async () => {
    // So that a request waits for five seconds.
    await world.reopen({ ackWait: 10_000 });
    const other = await world.another();
    const reader = await growing();
    const pulling = reader.pull(1, soon());
    await expect.poll(async () => (await consumer()).num_waiting).toBe(1);
    world.proxy.blockAnswers();
    for (const id of ['a', 'b', 'c']) await other.append([sampleEvent('s', id)]);
    await expect.poll(async () => (await consumer()).num_ack_pending).toBe(3);
    reader.close?.();
    world.proxy.unblock();
    expect(await pulling).toEqual([]);
    // The next one begins when this one's request is over, as one that begins to keep the order of users does.
    await expect.poll(async () => (await consumer()).num_waiting).toBe(0);
    expect(ids(await take(await readerOf(other), 3))).toEqual(['a', 'b', 'c']);
  });

  test('gives batches back in their order where the same node reads it again', async () => {
    // So that a request waits for ten seconds.
    await world.reopen({ ackWait: 20_000 });
    const other = await world.another();
    const reader = await growing();
    for (const id of ['a', 'b', 'c']) await append(id);
    expect(ids(await take(reader, 3))).toEqual(['a', 'b', 'c']);
    // Its request may still bring one batch.
    expect((await consumer()).num_waiting).toBe(1);
    // As a node that no longer keeps the order of users: it reads the lane again, and pulls nothing.
    world.log.read(lane.id);
    await expect.poll(async () => (await consumer()).num_waiting).toBe(0);
    expect(ids(await take(await readerOf(other), 3))).toEqual(['a', 'b', 'c']);
  });

  test('hands out in their order what it gave back and what was on its way, where the same node reads it again', async () => {
    // So that a request waits for five seconds.
    await world.reopen({ ackWait: 10_000 });
    const other = await world.another();
    const reader = await growing();
    const waiting = reader.pull(1, soon());
    await expect.poll(async () => (await consumer()).num_waiting).toBe(1);
    await append('a');
    expect(ids(await waiting)).toEqual(['a']);
    world.proxy.blockAnswers();
    for (const id of ['b', 'c']) await other.append([sampleEvent('s', id)]);
    await expect.poll(async () => (await consumer()).num_ack_pending).toBe(3);
    const next = take(world.log.read(lane.id), 3);
    world.proxy.unblock();
    expect(ids(await next)).toEqual(['a', 'b', 'c']);
  });

  test('is shared by the nodes: each entry is handed to one of them', async () => {
    const logs = [world.log, await world.another()];
    const readers = await Promise.all(logs.map(readerOf));
    for (const id of numbered(60)) await append(id);
    const taken: string[] = [];
    const byReader = readers.map(() => 0);
    while (taken.length < 60) {
      for (const [i, reader] of readers.entries()) {
        const entries = await reader.pull(1, AbortSignal.timeout(200)).catch(() => []);
        byReader[i] = (byReader[i] ?? 0) + entries.length;
        taken.push(...ids(entries));
        await settle(reader, entries);
      }
    }
    expect(taken.toSorted()).toEqual(numbered(60).toSorted());
    for (const count of byReader) expect(count).toBeGreaterThan(5);
  });

  test('acknowledges a batch when each of its events is settled, and not before', async () => {
    const reader = await readerOf(world.log);
    await append('m0', 'm1', 'm2');
    const [first, ...others] = await take(reader, 3);
    await settle(reader, first ? [first] : []);
    // Said twice, counted once.
    await settle(reader, first ? [first, first] : []);
    expect((await consumer()).num_ack_pending).toBe(1);
    await settle(reader, others);
    await expect.poll(async () => (await consumer()).num_ack_pending).toBe(0);
    expect((await consumer()).ack_floor.stream_seq).toBe(1);
  });

  test('begins and ends where it does, in the middle of batches too', async () => {
    await append(...numbered(4));
    const middle = await world.index.openLane('s', 'e', positionOf(0, 1, 1));
    // Before what comes after its end: it would end with the newest event that the index has.
    await world.index.endLane(middle.id, positionOf(0, 2, 0));
    await append('m4', 'm5');
    await world.log.lanes();
    const reader = world.log.read(middle.id);
    const entries = await take(reader, 3);
    expect(ids(entries)).toEqual(['m2', 'm3', 'm4']);
    await world.settle(middle, entries);
    reader.ack(entries.map(({ position }) => position));
    expect(ids(await reader.pull(1, soon()))).toEqual([]);
    await expect.poll(async () => (await consumer(middle)).num_ack_pending).toBe(0);
  });

  test('acknowledges a batch that events were removed from when the others are settled', async () => {
    const events = [sampleEvent('s', 'm1'), sampleEvent('s', 'm3')];
    await publish(encodeBatch({ sourceId: 's', events, duplicates: 0, places: [1, 3] }));
    const reader = await readerOf(world.log);
    const entries = await take(reader, 2);
    expect(entries.map(({ position }) => position)).toEqual([positionOf(0, 1, 1), positionOf(0, 1, 3)]);
    await settle(reader, entries);
    await expect.poll(async () => (await consumer()).num_ack_pending).toBe(0);
  });

  test('leaves a batch that it can not read to others, and reads on', async () => {
    await publish(Uint8Array.of(9));
    await append('m1');
    const reader = await readerOf(world.log);
    expect(ids(await take(reader, 1))).toEqual(['m1']);
    expect(world.reports.map(String)).toContainEqual(expect.stringContaining('upgrade this node'));
    const other = await jsm.jetstream().consumers.get(`${world.prefix}-events-0`, `lane-${lane.id}`);
    const again = await other.next({ expires: 20_000 });
    expect(again?.seq).toBe(1);
    again?.ack();
  }, 30_000);

  test('gives what a dead node had under way to another one, but for what it settled', async () => {
    const other = await readerOf(await world.another());
    const reader = await readerOf(world.log);
    await append('m0', 'm1', 'm2', 'm3');
    const entries = await take(reader, 4);
    await settle(
      reader,
      entries.filter((_, i) => i % 2 === 0),
    );
    const waiting = take(other, 2);
    world.proxy.block();
    expect(ids(await waiting)).toEqual(['m1', 'm3']);
    world.proxy.unblock();
  });

  test('leaves what a living node has under way to it, however long that takes', async () => {
    const other = await readerOf(await world.another());
    const reader = await readerOf(world.log);
    await append('m0');
    const entries = await take(reader, 1);
    await expect(other.pull(1, AbortSignal.timeout(ACK_WAIT * 3))).rejects.toThrow('timeout');
    await settle(reader, entries);
    await append('m1');
    expect(ids(await other.pull(1, soon()))).toEqual(['m1']);
  });

  test('is not handed out twice to a node that was away for longer than its time', async () => {
    const reader = await readerOf(world.log);
    await append('m0', 'm1');
    const entries = await take(reader, 2);
    world.proxy.block();
    // Once its time is up it is anybody's; this one doesn't want it.
    const anybody = await jsm.jetstream().consumers.get(`${world.prefix}-events-0`, `lane-${lane.id}`);
    const message = await anybody.next({ expires: 10_000 });
    expect(message?.info.deliveryCount).toBe(2);
    message?.nak();
    world.proxy.unblock();
    await append('m2');
    expect(ids(await reader.pull(10, soon()))).toEqual(['m2']);
    await settle(reader, entries);
    await expect.poll(async () => (await consumer()).num_ack_pending).toBe(1);
  });

  test('is given back at once by a node that stops: the other one waits for nothing', async () => {
    // Longer than the test may take: a batch that is lost on the way does not come again.
    await world.reopen({ ackWait: 60_000 });
    let log: EventLog & { close(): Promise<void> } = world.log;
    await append('m0', 'm1');
    for (let i = 0; i < 10; i++) {
      const reader = await readerOf(log);
      expect(ids(await take(reader, 2)).toSorted()).toEqual(['m0', 'm1']);
      // It asks for more at the time it stops.
      reader.pull(1, soon()).catch(() => undefined);
      const next = await world.another();
      await log.close();
      log = next;
    }
  });

  test('gives back what a node that stands still has not begun', async () => {
    const reader = await readerOf(world.log);
    for (const id of numbered(40)) await append(id);
    const begun = await take(reader, 10);
    const other = await readerOf(await world.another());
    const rest = await take(other, 30);
    expect([...begun, ...rest].map(({ messageId }) => messageId).toSorted()).toEqual(numbered(40).toSorted());
    expect((await consumer()).num_ack_pending).toBe(40);
  });

  test('gives back nothing while its request is under way: it would come again behind what that brings', async () => {
    const other = await world.another();
    const reader = await readerOf(world.log);
    /** The next sign of life. What a lane that stands still has not begun is given back at the same moment. */
    const sign = (): Promise<void> =>
      new Promise((resolve) => {
        const signs = nc.subscribe(`$JS.ACK.${world.prefix}-events-0.>`, {
          callback(_, message) {
            if (message.string() !== '+WPI') return;
            signs.unsubscribe();
            resolve();
          },
        });
      });
    await append('held');
    await take(reader, 1);
    await sign();
    for (const some of [['m0'], ['m1', 'm2'], ['a', 'b']]) {
      for (const id of some) await append(id);
      if (!some.includes('a')) await settle(reader, await take(reader, some.length));
    }
    // This request is for four batches.
    expect(ids(await reader.pull(1, soon()))).toEqual(['a']);
    const next = sign();
    world.proxy.blockAnswers();
    await other.append([sampleEvent('s', 'c')]);
    await next;
    world.proxy.unblock();
    expect(ids(await take(reader, 2))).toEqual(['b', 'c']);
  });

  test('holds little, however much waits, also while the index is asked about each batch', async () => {
    const reader = await readerOf(world.log);
    await made();
    await jsm.consumers.delete(`${world.prefix}-events-0`, `lane-${lane.id}`);
    const body = new Uint8Array(100_000);
    for (const id of numbered(100)) await world.log.append([sampleEvent('s', id, { body })]);
    await take(reader, 40);
    // What was taken, and about a megabyte that is on its way.
    expect((await consumer()).num_ack_pending).toBeLessThanOrEqual(40 + 12);
  });

  test('is read on where its consumer was lost, and what is settled does not come again', async () => {
    const reader = await readerOf(world.log);
    await append('m0', 'm1');
    await append('m2');
    const entries = await take(reader, 3);
    await settle(reader, entries.slice(0, 1));
    const next = take(reader, 2);
    await jsm.consumers.delete(`${world.prefix}-events-0`, `lane-${lane.id}`);
    await append('m3');
    await append('m4');
    // This node holds the rest of the first two batches, and is not given them again.
    expect(ids(await next)).toEqual(['m3', 'm4']);
    await world.reopen();
    const again = await take(await readerOf(world.log), 4);
    expect(ids(again).toSorted()).toEqual(['m1', 'm2', 'm3', 'm4']);
  });

  test('whose consumer was lost goes on where it was: what is settled is not read again', async () => {
    const reader = await readerOf(world.log);
    for (const id of numbered(20)) await append(id);
    const entries = await take(reader, 20);
    // One that waits for its turn comes before some that are settled.
    await settle(reader, [...entries.slice(0, 15), ...entries.slice(16)]);
    await world.log.indexed();
    await jsm.consumers.delete(`${world.prefix}-events-0`, `lane-${lane.id}`);
    const next = await readerOf(await world.another());
    expect(ids(await take(next, 1))).toEqual(['m15']);
    expect((await consumer()).config.opt_start_seq).toBe(seqOf(entries[15]?.position ?? 0));
  });

  test('that was made again by one node is so for another: what is settled does not come again', async () => {
    const reader = await readerOf(world.log);
    await append('m0', 'm1');
    const entries = await take(reader, 2);
    await settle(reader, entries.slice(0, 1));
    await jsm.consumers.delete(`${world.prefix}-events-0`, `lane-${lane.id}`);
    // To open a lane that is open makes its consumer where that is missing.
    await world.log.openLane('s', 'd');
    await made();
    const other = await readerOf(await world.another());
    expect(ids(await other.pull(10, soon()))).toEqual(['m1']);
  });

  test('that has ended is over for a node only when no other has something of it', async () => {
    const log = await world.another();
    const other = await readerOf(log);
    const reader = await readerOf(world.log);
    await append('m0');
    const entries = await take(reader, 1);
    await world.log.endLane(lane.id);
    expect(await reader.pull(1, soon())).toEqual([]);
    await log.lanes();
    await expect(other.pull(1, AbortSignal.timeout(ACK_WAIT * 2))).rejects.toThrow('timeout');
    const ending = other.pull(1, soon());
    await settle(reader, entries);
    expect(await ending).toEqual([]);
  });

  test('that another node ended or removed is so here too', async () => {
    const other = await world.another();
    const reader = await readerOf(other);
    const pull = reader.pull(1, soon());
    await world.log.endLane(lane.id);
    await other.lanes();
    await append('late');
    expect(await pull).toEqual([]);
    const second = await world.log.openLane('s', 'd');
    await other.lanes();
    const waiting = other.read(second.id).pull(1, soon());
    await append('m1');
    expect(ids(await waiting)).toEqual(['m1']);
    const gone = other.read(second.id).pull(2, soon());
    await gone;
    const over = other.read(second.id);
    await take(over, 1);
    const last = over.pull(1, soon());
    // The servers say nothing to a request that comes after the consumer has gone.
    await expect.poll(async () => (await consumer(second)).num_waiting).toBe(1);
    await world.log.removeLane(second.id);
    expect(await last).toEqual([]);
    await expect(jsm.consumers.info(`${world.prefix}-events-0`, `lane-${second.id}`)).rejects.toThrow('not found');
  });

  test('that was removed by a node that died in between leaves no consumer', async () => {
    const reader = await readerOf(world.log);
    await append('m0');
    await take(reader, 1);
    await world.index.removeLane(lane.id);
    await world.reopen();
    await expect.poll(() => consumer().then(String, ({ message }) => message)).toBe('consumer not found');
  });
});
