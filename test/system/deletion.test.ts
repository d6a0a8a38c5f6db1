import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Regulation, RegulationDetails, RegulationReport } from '../../packages/server/src/admin/contract.ts';
import { addUp } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { type Service, startService } from './kit/service.ts';

function regulate(
  service: Service,
  subjectIds: readonly string[],
  regulationType: Regulation['regulationType'] = 'DELETE_ONLY',
): Promise<Regulation> {
  return service.must('POST', '/api/regulations', { regulationType, subjectType: 'USER_ID', subjectIds });
}

function details(service: Service, { id }: Pick<Regulation, 'id'>): Promise<RegulationDetails> {
  return service.must('GET', `/api/regulations/${id}`);
}

function finished(service: Service, regulation: Regulation): Promise<RegulationDetails> {
  return eventually(
    () => details(service, regulation),
    ({ status }) => status === 'finished',
  );
}

/** The files of the service that hold a text anywhere. */
function filesWith(service: Service, text: string): string[] {
  return readdirSync(service.dataDir).filter((name) => readFileSync(service.file(name)).includes(text));
}

const deletes = (arrivals: readonly Arrival[]): Arrival[] =>
  arrivals.filter(({ message }) => message['type'] === 'delete');

test('one delete message per user and affected source, exact and signed, to each URL; the files hold nothing of the user', async () => {
  const service = await startService();
  const secret = 'shared-secret-of-deletion';
  const receiver = await receive(({ message }) =>
    message['event'] === 'Refused' ? { status: 400, body: 'I got marker-in-answer' } : 200,
  );
  const urls = ['/1', '/2', '/3', '/4', '/5'].map((path) => receiver.url(path));
  const [shop, app, quiet, off] = [
    await service.source(),
    await service.source(),
    await service.source(),
    await service.source(),
  ];
  const crm = await service.must<{ id: string }>('POST', '/api/destinations', {
    name: 'Five',
    type: 'Webhooks',
    sourceIds: [shop.id],
    settings: { webhooks: urls.map((url) => ({ url })), sharedSecret: secret },
    trackFilter: { mode: 'allow', events: ['Bought', 'Refused'] },
  });
  const other = await service.destination(app, receiver.url('/app'));
  await service.destination(quiet, receiver.url('/quiet'));
  await service.destination(off, receiver.url('/off'), { enabled: false });

  const user = 'user-to-be-deleted';
  const marker = { properties: { secret: 'marker-in-body' } };
  await service.accept(shop, { userId: user, event: 'Bought', ...marker });
  const refused = await service.accept(shop, { userId: user, event: 'Refused', unsent: 'marker-unsent' });
  await service.accept(app, { userId: user, traits: { secret: 'marker-in-body' } }, 'identify');
  await service.accept(app, { userId: 'somebody-else', previousId: user }, 'alias');
  const kept = await service.accept(app, { userId: 'somebody-else', event: 'Kept', properties: { text: 'stays' } });
  await service.accept(off, { userId: user, ...marker });
  await service.send(shop, 'track', { userId: user, ...marker });
  await service.tracedAs(refused, 'failed');
  await receiver.until(() => receiver.on('/app').length === 3);
  expect(filesWith(service, 'marker-in-body').length).toBeGreaterThan(0);

  const regulation = await regulate(service, [user, 'never-seen', user]);
  expect(regulation).toMatchObject({ status: 'running', users: 2, subjectType: 'USER_ID' });
  const done = await finished(service, regulation);

  const notices = deletes(receiver.arrivals);
  expect(notices.map(({ path }) => path).sort()).toEqual(['/1', '/2', '/3', '/4', '/5', '/app']);
  for (const { text, path, headers } of notices) {
    expect(text).toBe(JSON.stringify({ type: 'delete', userId: user, timestamp: done.createdAt }));
    const signature = path === '/app' ? undefined : createHmac('sha1', secret).update(text).digest('hex');
    expect(headers['x-signature']).toBe(signature);
  }
  expect(done).toMatchObject({
    users: 2,
    events: { found: 5, removed: 5 },
    notices: { total: 2, ended: 2, failed: 0 },
  });
  const [seen, unseen] = done.subjects;
  expect(unseen).toEqual({ userId: 'never-seen', sources: [] });
  const by = new Map(seen?.sources.map((source) => [source.sourceId, source]));
  expect([...by.keys()].sort()).toEqual([shop.id, app.id, off.id].sort());
  expect(by.get(shop.id)?.notice).toMatchObject({
    state: 'delivered',
    receipts: [{ destinationId: crm.id, state: 'processed' }],
  });
  expect(
    by
      .get(shop.id)
      ?.notice?.receipts[0]?.attempts.map(({ url, status }) => [url, status])
      .sort(),
  ).toEqual(urls.map((url) => [url, 200]));
  expect(by.get(off.id)).toMatchObject({ events: 1, notice: null });

  for (const text of ['marker-in-body', 'marker-unsent', 'marker-in-answer'])
    expect([text, filesWith(service, text)]).toEqual([text, []]);
  expect(filesWith(service, user)).toEqual(['millrace.db']);
  expect(filesWith(service, 'stays')).not.toEqual([]);
  const rejections = await service.must<object>('GET', `/api/sources/${shop.id}/rejections`);
  expect(JSON.stringify(rejections)).not.toContain('marker');

  const report = await service.api('GET', `/api/regulations/${regulation.id}/report`);
  expect(report.headers['content-disposition']).toBe(`attachment; filename="${regulation.id}.json"`);
  const evidence = JSON.parse(report.text) as RegulationReport;
  expect(evidence.subjects).toEqual(done.subjects);
  expect(evidence.regulation).toMatchObject({ status: 'finished', events: { removed: 5 } });

  // Nothing brings it back.
  expect((await service.api('POST', `/api/messages/${refused}/send-again`, { destinationId: crm.id })).status).toBe(
    404,
  );
  const replay = { destinationId: crm.id, state: 'all', dryRun: true };
  expect(await service.must('POST', '/api/replays', replay)).toEqual({ count: 0, sample: [] });
  expect(await service.must('POST', '/api/replays', { ...replay, state: 'failed' })).toEqual({ count: 0, sample: [] });
  expect((await service.trace(kept)).userId).toBe('somebody-else');
  expect(addUp(await service.counts({ id: crm.id } as typeof other))).toMatchObject({
    accepted: 3,
    processed: 2,
    failed: 1,
  });
  expect(await service.deliveries({ userId: user })).toEqual({ items: [], next: null });

  await service.must('DELETE', `/api/regulations/${regulation.id}`);
  expect(filesWith(service, user)).toEqual([]);
});
