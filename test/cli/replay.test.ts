import { beforeEach, expect, test } from 'vitest';
import type { Counts, Destination, Source } from '../../packages/server/src/admin/contract.ts';
import { collect } from '../../packages/server/src/cli/client.ts';
import { begin, millrace, serviceForFile } from './command.ts';
import { Inbox } from './inbox.ts';

const service = await serviceForFile();
let inbox: Inbox;
let source: Source;
let destination: Destination;

beforeEach(async () => {
  inbox = await new Inbox().open();
  for (const { id } of await service.client.destinations())
    await service.client.call('DELETE /api/destinations/:id', id);
  source = await service.client.call('POST /api/sources', { name: 'Shop', type: 'server' });
  destination = await service.client.call('POST /api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    sourceIds: [source.id],
    settings: { webhooks: [{ url: inbox.url }] },
  });
});

/** Calls that have failed: their receiver answered 404 to each. */
async function failed(count: number): Promise<void> {
  inbox.status = 404;
  const batch = Array.from({ length: count }, (_, number) => ({ type: 'track', event: 'E', userId: `u${number}` }));
  await collect(service.url, '/v1/batch', source.writeKey, JSON.stringify({ batch }));
  await settled(({ failed }) => failed === count);
  inbox.status = 200;
}

/** The service tells its counts only when asked. */
async function settled(holds: (counts: Counts) => boolean): Promise<void> {
  while (!holds(await service.client.call('GET /api/destinations/:id/counts', destination.id)))
    await new Promise((resolve) => setTimeout(resolve, 20));
}

test('sends failed messages again, and waits until they are on their way', async () => {
  await failed(5);
  const { code, stdout } = await millrace(['replay', 'CRM', '--rate', '1000'], { env: service.env });
  expect(stdout).toMatch(/^Replay rpl_\w+: 5 messages to CRM \(dst_\w+\)$/m);
  expect(stdout).toMatch(
    /^Replay rpl_\w+ is done: 5 of 5 went back to waiting\. So far \d delivered, 0 failed again, 0 filtered, \d waiting$/m,
  );
  expect(stdout).toContain('The destination now: 5 accepted = ');
  expect(code).toBe(0);
  expect(await inbox.count(10)).toHaveLength(10);
  await settled(({ processed }) => processed === 5);
});

test('--dry-run only counts and shows; filters narrow', async () => {
  await failed(3);
  const args = ['replay', destination.id, '--dry-run'];
  const all = await millrace(args, { env: service.env });
  expect(all.stdout).toMatch(
    /^3 messages would go to CRM \(dst_\w+\) again\n( {2}\S+Z {2}track +E {2}u\d {2}\S+\n){3}$/,
  );
  const one = await millrace([...args, '--user', 'u1', '--event', 'E', '--from', '2020-01-01'], { env: service.env });
  expect(one.stdout).toContain('1 message would go');
  const none = await millrace([...args, '--to', '2020-01-01'], { env: service.env });
  expect(none.stdout).toContain('0 messages would go');
  expect(inbox.messages).toHaveLength(3);
});

test('Ctrl-C stops the replay: exit code 1', async () => {
  await failed(20);
  const replay = begin(['replay', 'CRM', '--rate', '1'], { env: service.env });
  const [id = ''] = await replay.said(/Replay (rpl_\w+): 20 messages/);
  const { code, stdout } = await replay.signal('SIGINT');
  expect(stdout).toContain(`Replay ${id} is stopped`);
  expect(code).toBe(1);
  expect(await service.client.call('GET /api/replays/:id', id)).toMatchObject({ status: 'stopped' });
});

test('--detach lets it run; --watch and --stop take its id', async () => {
  await failed(20);
  const detached = await millrace(['replay', 'CRM', '--rate', '1', '--detach'], { env: service.env });
  expect(detached.code).toBe(0);
  const [, id = ''] = /Replay (rpl_\w+)/.exec(detached.stdout) ?? [];
  expect(await service.client.call('GET /api/replays/:id', id)).toMatchObject({ status: 'running' });
  const stopped = await millrace(['replay', '--stop', id], { env: service.env });
  expect(stopped.stdout).toContain(`Replay ${id} is stopped`);
  expect(stopped.code).toBe(0);
  const watched = await millrace(['replay', '--watch', id], { env: service.env });
  expect(watched.code).toBe(1);
});

test('what became of a replay is said, also when its destination is gone', async () => {
  await failed(20);
  const { stdout } = await millrace(['replay', 'CRM', '--rate', '1', '--detach'], { env: service.env });
  const [, id = ''] = /Replay (rpl_\w+)/.exec(stdout) ?? [];
  await service.client.call('DELETE /api/destinations/:id', destination.id);
  const stopped = await millrace(['replay', '--stop', id], { env: service.env });
  expect(stopped.stdout).toMatch(new RegExp(`^Replay ${id} is stopped: [^\n]*\n$`));
  expect(stopped.code).toBe(0);
});

test('wrong arguments, and what the service refuses', async () => {
  const unknown = await millrace(['replay', 'nope'], { env: service.env });
  expect(unknown.stderr).toContain(`there is no destination "nope". There are: CRM (${destination.id})`);
  expect(unknown.code).toBe(2);
  const unnamed = await millrace(['replay'], { env: service.env });
  expect(unnamed.code).toBe(2);
  const backwards = await millrace(['replay', 'CRM', '--from', '2021-01-01', '--to', '2020-01-01'], {
    env: service.env,
  });
  expect(backwards.stderr).toBe('millrace: to: must be later than from\n');
  expect(backwards.code).toBe(2);
  const unread = await millrace(['replay', 'CRM', '--from', 'yesterday'], { env: service.env });
  expect(unread.stderr).toMatch(/^millrace: from: /);
  expect(unread.code).toBe(2);
  const missing = await millrace(['replay', '--watch', 'rpl_none'], { env: service.env });
  expect(missing.stderr).toContain('There is no replay rpl_none');
  expect(missing.code).toBe(1);
});
