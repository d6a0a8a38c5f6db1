import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type JetStreamWorld, openLogWorld } from '../../../../../test/cluster/log-world.ts';
import { type Nats, type NatsOptions, needNats, startNats } from '../../../../../test/cluster/nats.ts';
import { sharedPostgres } from '../../../../../test/cluster/shared-postgres.ts';
import type { LogEntry } from '../../core/event.ts';
import { sampleEvent, take } from '../../log/conformance.ts';
import type { FollowedPage } from '../../log/contract.ts';
import { positionOf } from './position.ts';
import type { JetStreamLogOptions } from './store.ts';

const hasNats = await needNats();
const postgres = await sharedPostgres();

const ids = (entries: readonly LogEntry[]): string[] => entries.map(({ messageId }) => messageId);

/** A world on NATS servers of its own; they end with the test, also where the world can't be opened. */
async function ownWorld(
  servers: NatsOptions,
  options?: Partial<JetStreamLogOptions>,
): Promise<{ readonly nats: Nats; readonly world: JetStreamWorld }> {
  const nats = await startNats(servers);
  onTestFinished(() => nats.stop());
  const world = await openLogWorld({ nats, postgres }, options);
  onTestFinished(() => world.close());
  return { nats, world };
}

describe.skipIf(!hasNats)('while NATS is away', () => {
  let nats: Nats;
  let world: JetStreamWorld;
  beforeEach(async () => {
    ({ nats, world } = await ownWorld({}, { appendDeadline: 1_000 }));
  });

  const append = (...messageIds: string[]) => world.log.append(messageIds.map((id) => sampleEvent('s', id)));
  const longer = (): AbortSignal => AbortSignal.timeout(20_000);

  test('appends are refused within their deadline, and lanes wait; then both go on by themselves', async () => {
    const { id } = await world.log.openLane('s', 'd');
    const reader = world.log.read(id);
    await append('m1');
    expect(ids(await take(reader, 1))).toEqual(['m1']);
    const next = reader.pull(1, longer());
    await nats.servers[0]?.kill();
    await expect(append('m2')).rejects.toMatchObject({ code: 'storage_unavailable', retryAfter: 5 });
    expect(world.log.trouble()).toBe("NATS can't be reached; trying again");
    await expect(world.log.openLane('s', 'e')).rejects.toMatchObject({ code: 'storage_unavailable' });
    await nats.servers[0]?.start();
    await expect.poll(() => append('m3').catch(({ code }) => code)).toEqual({ duplicates: [] });
    expect(ids(await next)).toEqual(['m3']);
    expect(world.log.trouble()).toBeNull();
    expect(await append('m1', 'm3')).toEqual({ duplicates: [0, 1] });
  });

  test('a call that waited behind others blames what they waited for', async () => {
    await append('m1');
    await nats.servers[0]?.kill();
    // More than a batch takes, so that the second call goes with the rest of the first.
    const many = append(...Array.from({ length: 1500 }, (_, i) => `many${i}`));
    const [, behind] = await Promise.allSettled([many, append('m2')]);
    const message = expect.stringContaining('NATS did not confirm the events in time');
    expect(behind).toMatchObject({ status: 'rejected', reason: { message } });
    expect(world.log.indexTrouble()).toBeNull();
  });

  test('a link that swallows everything is one that is down', async () => {
    const { id } = await world.log.openLane('s', 'd');
    const next = world.log.read(id).pull(1, longer());
    await append('m1');
    expect(ids(await next)).toEqual(['m1']);
    world.proxy.block();
    await expect(append('m2')).rejects.toMatchObject({ code: 'storage_unavailable' });
    world.proxy.unblock();
    await expect.poll(() => append('m3').catch(({ code }) => code)).toEqual({ duplicates: [] });
  });

  test('a batch whose confirmation was lost is sent again, and taken once', async () => {
    const nc = await connect({ servers: nats.url });
    const { streams } = await jetstreamManager(nc);
    await append('m0');
    world.proxy.blockAnswers();
    const appending = append('m1');
    await expect.poll(async () => (await streams.info(`${world.prefix}-events-0`)).state.messages).toBe(2);
    world.proxy.cut();
    expect(await appending).toEqual({ duplicates: [] });
    expect((await streams.info(`${world.prefix}-events-0`)).state.messages).toBe(2);
    await nc.close();
  });

  test('a stream that came back without what it had confirmed gives no place twice', async () => {
    const [server] = nats.servers;
    const { id } = await world.log.openLane('s', 'd');
    await append('m1');
    await world.log.totals();
    const kept = join(nats.folder, 'kept');
    await server?.kill();
    cpSync(join(nats.folder, 'n1'), kept, { recursive: true });
    await server?.start();
    for (const messageId of ['m2', 'm3']) {
      await expect.poll(() => append(messageId).catch(({ code }) => code)).toEqual({ duplicates: [] });
    }
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(3);
    await server?.kill();
    rmSync(join(nats.folder, 'n1'), { recursive: true });
    renameSync(kept, join(nats.folder, 'n1'));
    await server?.start();
    await expect.poll(() => append('m4').catch(({ code }) => code)).toEqual({ duplicates: [] });
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(4);
    expect((await world.log.find('m4', ['s']))?.position).toBe(positionOf(0, 4, 0));
    expect(ids(await take(world.log.read(id), 2))).toEqual(['m1', 'm4']);
    expect(world.reports.map(String)).toContainEqual(
      expect.stringContaining('ended 2 batches before what the database'),
    );
  });

  test('servers that came back with nothing get their streams again, and what is gone is told', async () => {
    const [server] = nats.servers;
    const { id } = await world.log.openLane('s', 'd');
    await append('m1');
    await append('m2', 'm3');
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(3);
    await server?.kill();
    rmSync(join(nats.folder, 'n1'), { recursive: true });
    mkdirSync(join(nats.folder, 'n1'));
    await server?.start();
    await expect.poll(() => append('m4').catch(({ code }) => code), { timeout: 20_000 }).toEqual({ duplicates: [] });
    expect(ids(await take(world.log.read(id), 1))).toEqual(['m4']);
    expect(await append('m1')).toEqual({ duplicates: [0] });
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(4);
    expect((await world.log.find('m4', ['s']))?.position).toBe(positionOf(0, 3, 0));
    expect(world.log.trouble()).toBeNull();
    expect(await world.losses.list()).toMatchObject([{ events: 3, notedAt: null }]);
    const [loss] = await world.losses.list();
    expect(await world.losses.note(loss?.id ?? '', 7)).toBe(true);
    expect(await world.losses.note('none', 7)).toBe(false);
    expect(await world.losses.list()).toMatchObject([{ notedAt: 7 }]);
  });

  test.for([
    { removed: 'removed', again: false },
    { removed: 'removed and made again', again: true },
  ])(
    'a stream that was $removed while the link is up gives no place twice, and what is gone is told',
    async ({ again }) => {
      const { id } = await world.log.openLane('s', 'd');
      await append('m1');
      await append('m2', 'm3');
      await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(3);
      const nc = await connect({ servers: nats.url });
      onTestFinished(() => nc.close());
      const { streams } = await jetstreamManager(nc);
      const { config } = await streams.info(`${world.prefix}-events-0`);
      await streams.delete(config.name);
      if (again) await streams.add(config);
      await expect.poll(() => append('m4').catch(({ code }) => code)).toEqual({ duplicates: [] });
      await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(4);
      expect((await world.log.find('m4', ['s']))?.position).toBe(positionOf(0, 3, 0));
      expect(ids(await take(world.log.read(id), 1))).toEqual(['m4']);
      expect(await world.losses.list()).toMatchObject([{ events: 3, notedAt: null }]);
      expect(world.log.trouble()).toBeNull();
    },
  );

  test('a stream whose subjects were changed while the link is up gets them again', async () => {
    await append('m1');
    const nc = await connect({ servers: nats.url });
    onTestFinished(() => nc.close());
    const { streams } = await jetstreamManager(nc);
    const { config } = await streams.info(`${world.prefix}-events-0`);
    await streams.update(config.name, { ...config, subjects: ['elsewhere'] });
    await expect.poll(() => append('m2').catch(({ code }) => code)).toEqual({ duplicates: [] });
    expect((await streams.info(config.name)).config.subjects).toEqual(config.subjects);
  });

  test('a node that appends nothing finds that a stream was removed, and makes it again', async () => {
    await append('m1');
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(1);
    const nc = await connect({ servers: nats.url });
    onTestFinished(() => nc.close());
    const { streams } = await jetstreamManager(nc);
    await streams.delete(`${world.prefix}-events-0`);
    await expect.poll(() => world.losses.list(), { timeout: 20_000 }).toMatchObject([{ events: 1, notedAt: null }]);
  });

  test('a follower goes on where it was', async () => {
    const ending = new AbortController();
    const pages = (await world.log.follow(ending.signal))[Symbol.asyncIterator]();
    await append('m1');
    expect(ids((await pages.next()).value?.entries ?? [])).toEqual(['m1']);
    world.proxy.cut();
    await append('m2');
    expect(ids((await pages.next()).value?.entries ?? [])).toEqual(['m2']);
    ending.abort();
  });
});

describe.skipIf(!hasNats)('a link that is cut', () => {
  test('what a cut link has under way is taken once', async () => {
    // With time enough: a link comes back a quarter of a second after each cut, or later where much else is done.
    const { world } = await ownWorld({});
    const { id } = await world.log.openLane('s', 'd');
    const reader = world.log.read(id);
    const appends: Promise<unknown>[] = [];
    for (let i = 0; i < 30; i++) {
      appends.push(world.log.append([sampleEvent('s', `m${i}`)]).catch(({ code }: { code: string }) => code));
      if (i % 10 === 5) world.proxy.cut();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await Promise.all(appends)).toEqual(appends.map(() => ({ duplicates: [] })));
    expect(ids(await take(reader, 30)).toSorted()).toEqual(appends.map((_, i) => `m${i}`).toSorted());
    expect((await world.log.totals()).get('s')).toEqual({ accepted: 30, duplicates: 0 });
  });
});

describe.skipIf(!hasNats)('while one of three servers is away', () => {
  test.for([
    { wiped: [0, 1], which: 'the one that the service is connected to among them' },
    { wiped: [1, 2], which: 'the service connected to the one that has kept it' },
  ])(
    'two of three servers came back with nothing, $which: an event is refused, or taken beside all that was',
    {
      timeout: 90_000,
    },
    async ({ wiped }) => {
      const { nats, world } = await ownWorld({ servers: 3 }, { appendDeadline: 2_000 });
      const append = (...messageIds: string[]) => world.log.append(messageIds.map((id) => sampleEvent('s', id)));
      await append('m1', 'm2');
      await append('m3');
      await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(3);
      const gone = nats.servers.filter((_, i) => wiped.includes(i));
      await Promise.all(gone.map((server) => server.kill()));
      for (const { name } of gone) {
        rmSync(join(nats.folder, name), { recursive: true });
        mkdirSync(join(nats.folder, name));
      }
      await Promise.all(gone.map((server) => server.start()));
      const answer = await append('m4').catch(({ code }: { code: string }) => code);
      expect(await world.losses.list()).toEqual([]);
      if (answer === 'storage_unavailable') {
        expect(world.log.trouble()).not.toBeNull();
        return;
      }
      // The server that kept the stream was elected, and gave it to the others: nothing had happened.
      expect(answer).toEqual({ duplicates: [] });
      const places = [positionOf(0, 1, 0), positionOf(0, 1, 1), positionOf(0, 2, 0), positionOf(0, 3, 0)];
      expect((await world.log.fetch(places)).map((entry) => entry?.messageId)).toEqual(['m1', 'm2', 'm3', 'm4']);
    },
  );

  test('a lane whose consumer has lost its leader gets another one, and nothing is handed out twice', async () => {
    const { nats, world } = await ownWorld({ servers: 3 });
    const nc = await connect({ servers: `127.0.0.1:${nats.servers[0]?.port}` });
    onTestFinished(() => nc.close());
    const { consumers } = await jetstreamManager(nc);
    const lane = await world.log.openLane('s', 'd');
    const stream = `${world.prefix}-events-0`;
    const name = `lane-${lane.id}`;
    const find = () => consumers.info(stream, name).catch(() => null);
    await expect.poll(find).not.toBeNull();
    const { config } = await consumers.info(stream, name);
    // One without replicas, on a server that the link does not go to.
    let leader = nats.servers[0]?.name;
    while (leader === nats.servers[0]?.name) {
      // While its leader is elected nothing answers; it is removed all the same.
      await consumers.delete(stream, name).catch(() => undefined);
      const made = await consumers.add(stream, { ...config, num_replicas: 1 });
      // The answer may come before the new one has a leader.
      leader = made.cluster?.leader ?? leader;
    }
    const reader = world.log.read(lane.id);
    const append = (messageId: string) => world.log.append([sampleEvent('s', messageId)]);
    await append('m1');
    const taken = await take(reader, 1);
    expect(ids(taken)).toEqual(['m1']);
    await world.settle(lane, taken);
    reader.ack(taken.map(({ position }) => position));
    await nats.servers.find((server) => server.name === leader)?.kill();
    await expect.poll(() => append('m2').catch(({ code }) => code)).toEqual({ duplicates: [] });
    expect(ids(await reader.pull(1, AbortSignal.timeout(60_000)))).toEqual(['m2']);
    expect(world.reports.map(String)).toContainEqual(
      expect.stringContaining(`The consumer of lane ${lane.id} has not answered`),
    );
  }, 90_000);

  test('the index and those who follow go on, though it had their consumers', async () => {
    const { nats, world } = await ownWorld({ servers: 3 });
    const ending = new AbortController();
    const nc = await connect({ servers: `127.0.0.1:${nats.servers[0]?.port}` });
    onTestFinished(() => nc.close());
    onTestFinished(() => ending.abort());
    const { consumers } = await jetstreamManager(nc);
    const hosts = async () => {
      const infos = await consumers.list(`${world.prefix}-events-0`).next();
      return infos.map(({ cluster }) => cluster?.leader);
    };
    // The link goes to the first one, which must stay.
    const near = nats.servers[0]?.name;
    await expect.poll(hosts).toHaveLength(1);
    while ((await hosts())[0] === near) {
      await world.reopen();
      await expect.poll(hosts).toHaveLength(1);
    }
    const [far] = await hosts();
    const followers: AsyncIterator<FollowedPage>[] = [];
    while ((await hosts()).filter((host) => host === far).length < 2) {
      followers.push((await world.log.follow(ending.signal))[Symbol.asyncIterator]());
      await expect.poll(hosts).toHaveLength(1 + followers.length);
    }
    await nats.servers.find(({ name }) => name === far)?.kill();
    await expect
      .poll(() => world.log.append([sampleEvent('s', 'm1')]).catch(({ code }) => code))
      .toEqual({
        duplicates: [],
      });
    await expect.poll(async () => (await world.log.totals()).get('s')?.accepted).toBe(1);
    const seen: string[][] = [];
    for (const each of followers) void each.next().then(({ value }) => seen.push(ids(value?.entries ?? [])));
    await expect.poll(() => seen).toEqual(followers.map(() => ['m1']));
  }, 90_000);
});

describe.skipIf(!hasNats)('a stream that is full', () => {
  test('refuses the duplicates of what it refuses', async () => {
    const { world } = await ownWorld({}, { maxBytes: 300_000 });
    // A full batch, so that the second one does not wait for the first; of bytes that no compression makes fewer.
    const events = Array.from({ length: 1024 }, (_, i) => sampleEvent('s', `m${i}`, { body: randomBytes(400) }));
    const both = await Promise.allSettled([world.log.append(events), world.log.append(events)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await world.log.append(events.slice(0, 10))).toEqual({ duplicates: [] });
  });

  test('is told from servers that have no room', async () => {
    const { world } = await ownWorld({ jetstream: 'max_file_store: 300KB' });
    const append = () => world.log.append([sampleEvent('s', crypto.randomUUID(), { body: randomBytes(30_000) })]);
    await expect.poll(() => append().catch(({ code }) => code)).toBe('storage_full');
    expect(world.log.trouble()).toMatch(/^NATS has no room \(insufficient resources\)\. .*max_file_store/);
  });

  test('refuses appends, hands out what it has, and goes on when it has room', async () => {
    const { world } = await ownWorld({}, { maxBytes: 300_000 });
    // Bytes that no compression makes fewer.
    const body = randomBytes(30_000);
    const append = (id: string) => world.log.append([sampleEvent('s', id, { body })]);
    const { id } = await world.log.openLane('s', 'd');
    const kept: string[] = [];
    let refusal: unknown;
    for (let i = 0; i < 20 && refusal === undefined; i++) {
      await append(`m${i}`).then(
        () => kept.push(`m${i}`),
        (error: unknown) => {
          refusal = error;
        },
      );
    }
    expect(refusal).toMatchObject({ code: 'storage_full', retryAfter: 10 });
    expect(world.log.trouble()).toContain('The stream is full');
    expect(kept.length).toBeGreaterThan(5);
    const entries = await take(world.log.read(id), kept.length);
    expect(ids(entries)).toEqual(kept);
    await world.reopen({ maxBytes: 600_000 });
    expect(await append('more')).toEqual({ duplicates: [] });
    expect(world.log.trouble()).toBeNull();
  });
});
