import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Destination, DestinationOverview } from '../../packages/server/src/admin/contract.ts';
import { connected } from '../cluster/postgres.ts';
import { eventually } from './kit/eventually.ts';
import { type Receiver, receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService({
  MILLRACE_RETRY_BASE: '2s',
  MILLRACE_RETRY_CAP: '2s',
  MILLRACE_RETRY_WINDOW: '60s',
});

const REPLIES: Readonly<Record<string, number>> = { '/refuses': 400, '/down': 503 };

interface Waiting {
  readonly receiver: Receiver;
  readonly destination: Destination;
  readonly messageId: string;
}

/** A message that one URL of a destination has refused, and that waits for the other. */
async function waiting(): Promise<Waiting> {
  const receiver = await receive(({ path }) => REPLIES[path] ?? 200);
  const source = await service.source();
  const destination = await service.destination(source, [receiver.url('/refuses'), receiver.url('/down')]);
  const messageId = await service.accept(source);
  await service.tracedAs(messageId, 'retrying');
  return { receiver, destination, messageId };
}

/** Swaps the URLs and edits the one that the message waits for. */
function edit({ receiver, destination }: Waiting): Promise<Destination> {
  const webhooks = [
    { id: destination.settings.webhooks[1]?.id, url: receiver.url('/up') },
    { url: receiver.url('/refuses') },
  ];
  return service.must('PATCH', `/api/destinations/${destination.id}`, { settings: { webhooks } });
}

/** The message arrived at the edited URL, and nowhere again; what was tried before is its history. */
async function expectOne({ receiver, destination, messageId }: Waiting): Promise<void> {
  const [refuses, down] = destination.settings.webhooks;
  const { lanes } = await service.tracedAs(messageId, 'processed');
  expect(receiver.on('/refuses')).toHaveLength(1);
  expect(receiver.on('/up')).toHaveLength(1);
  const [lane] = lanes;
  const before = lane?.attempts.filter(({ url }) => url === down?.url) ?? [];
  expect(before.length).toBeGreaterThanOrEqual(1);
  expect(lane?.attempts.filter(({ webhookId }) => webhookId === down?.id)).toEqual([
    ...before,
    expect.objectContaining({ url: receiver.url('/up'), status: 200 }),
  ]);
  expect(lane?.requests).toMatchObject([
    { webhookId: down?.id, url: receiver.url('/up') },
    { webhookId: refuses?.id, url: receiver.url('/refuses') },
  ]);
}

test('an edited URL keeps its place, its retries, attempts and statistics, across a restart', async () => {
  const world = await waiting();
  const { receiver, destination } = world;
  const [refuses, down] = destination.settings.webhooks;
  const edited = await edit(world);
  expect(edited.settings.webhooks).toMatchObject([{ id: down?.id }, { id: refuses?.id }]);
  // What was counted is written when it stops.
  await service.stop();
  await service.start();
  await expectOne(world);
  await eventually(
    () => service.must<DestinationOverview>('GET', `/api/destinations/${destination.id}/overview`),
    ({ urls }) => urls.some(({ lastSuccessAt }) => lastSuccessAt !== null),
  ).then(({ urls, errors, status }) => {
    expect(status.urls).toMatchObject([{ id: down?.id, url: receiver.url('/up') }, { id: refuses?.id }]);
    expect(urls).toMatchObject([
      { id: down?.id, url: receiver.url('/up'), failed: expect.toSatisfy((failed: number) => failed >= 1) },
      { id: refuses?.id, attempts: 1, failed: 1, lastSuccessAt: null },
    ]);
    expect(errors.find(({ kind }) => kind === '503')).toMatchObject({ webhookId: down?.id, url: receiver.url('/up') });
  });
});

test('what a version without ids had stored has the ids that its URLs would get, and goes on', async () => {
  const world = await waiting();
  await service.kill();
  await forgetIds(world);
  await service.start();
  const path = `/api/destinations/${world.destination.id}`;
  const destination = await service.must<Destination>('GET', path);
  expect(destination).toEqual(world.destination);
  await edit(world);
  await expectOne(world);
});

/** Makes of what is stored what it was before URLs had ids. */
async function forgetIds({ destination }: Waiting): Promise<void> {
  for (const { id, url } of destination.settings.webhooks) {
    await run('millrace.db', `UPDATE documents SET document = replace(document, '"id":"${id}",', '')`);
    await run(
      readdirSync(service.dataDir).find((name) => /^events-.*\.db$/.test(name)) ?? '',
      `UPDATE deliveries SET urls_left = replace(urls_left, '${id}', '${url}'),
        attempts = replace(attempts, '"webhookId":"${id}",', '')`,
    );
  }
}

/** A statement on a file of the data folder, or on a node's database. */
async function run(file: string, statement: string): Promise<void> {
  const { MILLRACE_DATABASE_URL: url } = service.ground;
  if (url) {
    await using client = await connected(url);
    await client.query(`SET search_path TO millrace; ${statement}`);
    return;
  }
  const database = new DatabaseSync(service.file(file));
  database.exec(statement);
  database.close();
}
