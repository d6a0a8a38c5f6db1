import { readdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Regulation, RegulationDetails } from '../../packages/server/src/admin/contract.ts';
import { compacted } from '../system/kit/compaction.ts';
import { eventually } from '../system/kit/eventually.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedServers, startNodes } from './cluster.ts';
import { needNats } from './nats.ts';

const nats = await needNats();

/** Files below a folder that hold a text anywhere; the journals of PostgreSQL are not among them. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !file.parentPath.includes('pg_wal'))
    .map((file) => join(file.parentPath, file.name))
    .filter((path) => readFileSync(path).includes(text));
}

describe.skipIf(!nats)('a deletion on two nodes', () => {
  const servers = sharedServers();

  test('of which the one that leads stands still: it refuses the user from the first call on when it wakes', {
    timeout: 120_000,
  }, async () => {
    const [one, two] = await startNodes(servers, 2, {}, { mayLogErrors: true });
    if (!one || !two) throw new Error('no nodes');
    // What it led goes to the other one.
    await one.stop();
    await one.start();
    const receiver = await receive(200);
    const source = await one.source();
    const destination = await one.destination(source, receiver.url());
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const call = () => two.send(source, 'track', { event: 'E', userId: 'user-gone' }, { agent });
    expect(JSON.parse((await call()).text)).toEqual({ success: true });
    await one.settled(destination, 1);
    two.signal('SIGSTOP');
    const { id } = await one.must<Regulation>('POST', '/api/regulations', {
      ...{ regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['user-gone'] },
    });
    // By the node that waited for the other's turn to end: so that one stood still for longer than news take.
    await eventually(
      () => one.must<Regulation>('GET', `/api/regulations/${id}`),
      ({ status }) => status === 'finished',
      60_000,
    );
    // The call and the news of the suppression are both there when it goes on.
    const answer = call();
    two.signal('SIGCONT');
    expect(JSON.parse((await answer).text)).toMatchObject({ rejected: [{ code: 'user_suppressed' }] });
    await two.accept(source, { userId: 'user-who-stays' });
    // The user's call, the notice of the deletion, and the one that stays.
    for (const node of [one, two]) expect(await node.settled(destination, 3)).toMatchObject({ accepted: 3 });
  });

  test('goes on when a node is killed, spares what others did, and leaves nothing of the user', {
    timeout: 120_000,
  }, async () => {
    const [one, two] = await startNodes(servers, 2, { MILLRACE_RETRY_WINDOW: '4h' }, { mayLogErrors: true });
    if (!one || !two) throw new Error('no nodes');
    let up = false;
    const receiver = await receive(({ path }) => (path === '/well' || up ? 200 : 503));
    const source = await one.source();
    const well = await one.destination(source, receiver.url('/well'));
    const dead = await one.destination(source, receiver.url('/dead'));
    const others = new Set<string>();
    const CALLS = 40;
    for (let i = 0; i < CALLS; i++) {
      const batch = Array.from({ length: 10 }, (_, n) => {
        const userId = n % 3 === 0 ? 'user-gone' : `user-${n}`;
        const messageId = `m${i}-${n}`;
        if (userId !== 'user-gone') others.add(messageId);
        const text = userId === 'user-gone' ? 'MARKER' : 'stays';
        return { type: 'track', event: 'E', userId, messageId, properties: { text } };
      });
      expect((await one.send(source, 'batch', { batch })).status).toBe(200);
    }
    await receiver.until(() => receiver.on('/well').length >= CALLS * 10);
    const folders = [servers.servers.nats.folder, servers.servers.postgres.folder].filter((path) => path !== null);
    expect(filesWith(servers.servers.nats.folder, 'MARKER')).not.toEqual([]);

    const regulation = await two.must<Regulation>('POST', '/api/regulations', {
      ...{ regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['user-gone'] },
    });
    await one.kill();
    const details = (): Promise<RegulationDetails> => two.must('GET', `/api/regulations/${regulation.id}`);
    await eventually(details, ({ step }) => step === 'delivering', 60_000);
    const before = receiver.on('/dead').length;
    up = true;
    const done = await eventually(details, ({ status }) => status === 'finished', 60_000);
    expect(done).toMatchObject({
      events: { found: CALLS * 4, removed: CALLS * 4 },
      notices: { total: 1, ended: 1, failed: 0 },
    });
    expect(await compacted(two, regulation)).toMatchObject({ finishedAt: done.finishedAt });
    expect(folders.flatMap((folder) => filesWith(folder, 'MARKER'))).toEqual([]);
    const total = CALLS * 10 + 1;
    const counts = await two.settled(dead, total, 60_000);
    expect(counts).toMatchObject({ processed: others.size + 1, filtered: CALLS * 4 });
    expect(await two.settled(well, total)).toMatchObject({ processed: total });
    const after = receiver.on('/dead').slice(before);
    expect(new Set(after.map(({ message }) => message['messageId']))).toEqual(new Set([...others, undefined]));
    expect(
      after
        .filter(({ message }) => message['userId'] === 'user-gone')
        .every(({ message }) => message['type'] === 'delete'),
    ).toBe(true);
  });
});
