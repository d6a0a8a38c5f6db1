import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type {
  AuditEntry,
  Page,
  Regulation,
  RegulationDetails,
  RegulationReach,
  RegulationReport,
} from '../../packages/server/src/admin/contract.ts';
import { addUp } from './kit/admin.ts';
import { compacted } from './kit/compaction.ts';
import { eventually } from './kit/eventually.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { type Service, sharedService, startService } from './kit/service.ts';

/** For tests that bring users of their own, and do not ask what it has done in all. */
const shared = sharedService({ MILLRACE_RETRY_WINDOW: '300ms' });

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

/** Waits until these files hold a text, and no other. */
async function heldBy(service: Service, text: string, files: readonly string[]): Promise<void> {
  await eventually(
    () => filesWith(service, text),
    (found) => String(found) === String(files),
  );
}

const deletes = (arrivals: readonly Arrival[]): Arrival[] =>
  arrivals.filter(({ message }) => message['type'] === 'delete');

test('a dry run says whom and how much a deletion would reach, and does nothing', async () => {
  const service = await startService();
  const [shop, app] = [await service.source(), await service.source()];
  await service.accept(shop, { userId: 'u1' });
  await service.accept(app, { userId: 'u2', anonymousId: 'browser' });
  await service.accept(app, { userId: null, anonymousId: 'browser' });
  await service.accept(app, { userId: 'stays' });
  await service.accept(shop, { userId: 'u2', previousId: 'u1' }, 'alias');
  const subjectIds = ['u1', 'never-seen'];
  const body = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds, dryRun: true };
  const reach = await eventually(
    () => service.must<RegulationReach>('POST', '/api/regulations', body),
    ({ ids }) => ids === 3,
  );
  const byName = reach.sources.toSorted((a, b) => Number(a.sourceId === app.id) - Number(b.sourceId === app.id));
  expect({ ...reach, sources: byName }).toEqual({
    persons: 1,
    ids: 3,
    others: [{ userId: 'u1', others: ['u2'] }],
    events: { found: 4, complete: true },
    sources: [
      { sourceId: shop.id, events: 2 },
      { sourceId: app.id, events: 2 },
    ],
    unknown: { count: 1, first: ['never-seen'] },
  });
  expect(await service.must('GET', '/api/regulations')).toEqual({ items: [], next: null });
  expect((await service.must<Page<AuditEntry>>('GET', '/api/audit')).items.map(({ action }) => action)).not.toContain(
    'regulation.create',
  );

  const { ids, events } = await finished(service, await regulate(service, subjectIds));
  expect([ids, events]).toEqual([4, { found: 4, removed: 4 }]);
});

test('a source whose calls the log has dropped is told all the same', async () => {
  const service = await startService({ MILLRACE_RETENTION: '1s' });
  const receiver = await receive();
  const [shop, app] = [await service.source(), await service.source()];
  await service.destination(shop, receiver.url('/shop'));
  await service.destination(app, receiver.url('/app'));
  const pros = await service.must<{ sourceId: string }>('POST', '/api/audiences', {
    name: 'Pros',
    definition: { trait: 'plan', is: { equals: 'pro' } },
  });
  await service.destination(app, receiver.url('/ads'), { sourceIds: [pros.sourceId] });
  await service.accept(shop, { userId: 'long-ago', traits: { plan: 'pro' } }, 'identify');
  const { messageId } = (await service.must<Page<{ messageId: string }>>('GET', '/api/events')).items[0] ?? {};
  await eventually(
    () => service.api('GET', '/api/people/long-ago'),
    ({ status }) => status === 200,
  );
  const [told] = await receiver.waitFor(1, '/ads');
  // Partitions are dropped when others begin.
  await eventually(
    async () => {
      await service.accept(app, { userId: 'somebody-else' });
      const ids = [messageId ?? '', String(told?.message['messageId'])];
      return Promise.all(ids.map((id) => service.api('GET', `/api/messages/${encodeURIComponent(id)}`)));
    },
    (answers) => answers.every(({ status }) => status === 404),
  );
  await finished(service, await regulate(service, ['long-ago']));
  expect(
    deletes(receiver.arrivals)
      .map(({ path, message }) => [path, message['userId']])
      .toSorted(),
  ).toEqual([
    ['/ads', 'long-ago'],
    ['/shop', 'long-ago'],
  ]);
});

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
  // The same person by other ids: an alias, and a browser that was anonymous before.
  await service.accept(app, { userId: 'other-id-of-the-user', previousId: user }, 'alias');
  await service.accept(app, { userId: null, anonymousId: 'browser-of-the-user', event: 'Anonymous', ...marker });
  await service.accept(app, { userId: 'other-id-of-the-user', anonymousId: 'browser-of-the-user', ...marker });
  const kept = await service.accept(app, { userId: 'somebody-else', event: 'Kept', properties: { text: 'stays' } });
  await service.accept(off, { userId: user, ...marker });
  await service.send(shop, 'track', { userId: user, ...marker });
  await service.tracedAs(refused, 'failed');
  await receiver.until(() => receiver.on('/app').length === 5);
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
    events: { found: 7, removed: 7 },
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

  expect([typeof done.erasedAt, done.compactedAt]).toEqual(['string', null]);
  const { compactedAt } = await compacted(service, regulation);
  expect([done.createdAt, done.erasedAt, done.finishedAt, compactedAt].toSorted()[3]).toBe(compactedAt);
  for (const text of ['marker-in-body', 'marker-unsent', 'marker-in-answer'])
    expect([text, filesWith(service, text)]).toEqual([text, []]);
  expect(filesWith(service, user)).toEqual(['millrace.db']);
  for (const id of ['other-id-of-the-user', 'browser-of-the-user'])
    expect([id, filesWith(service, id)]).toEqual([id, []]);
  expect(filesWith(service, 'stays')).toContain('people.db');
  const rejections = await service.must<object>('GET', `/api/sources/${shop.id}/rejections`);
  expect(JSON.stringify(rejections)).not.toContain('marker');

  const report = await service.api('GET', `/api/regulations/${regulation.id}/report`);
  expect(report.headers['content-disposition']).toBe(`attachment; filename="${regulation.id}.json"`);
  const evidence = JSON.parse(report.text) as RegulationReport;
  expect(evidence.subjects).toEqual(done.subjects);
  expect(evidence.regulation).toMatchObject({ status: 'finished', events: { removed: 7 } });

  // Nothing brings it back.
  expect((await service.api('POST', `/api/messages/${refused}/send-again`, { destinationId: crm.id })).status).toBe(
    404,
  );
  const replay = { destinationId: crm.id, state: 'all', dryRun: true };
  expect(await service.must('POST', '/api/replays', replay)).toEqual({ count: 0, errors: [], sample: [] });
  expect(await service.must('POST', '/api/replays', { ...replay, state: 'failed' })).toEqual({
    count: 0,
    errors: [],
    sample: [],
  });
  expect((await service.trace(kept)).userId).toBe('somebody-else');
  expect(addUp(await service.counts({ id: crm.id } as typeof other))).toMatchObject({
    accepted: 3,
    processed: 2,
    failed: 1,
  });
  expect(await service.deliveries({ userId: user })).toEqual({ items: [], next: null });

  await service.must('DELETE', `/api/regulations/${regulation.id}`);
  await service.must('POST', '/api/regulations/compact');
  await heldBy(service, user, []);
});

test('a delete message is tried beyond the retry window, and what still waited is never sent', async () => {
  let well = false;
  const receiver = await receive(() => (well ? 200 : 500));
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url());
  const other = await shared.accept(source, { userId: 'other' });
  await shared.tracedAs(other, 'failed');
  // Its retry is due now and again; the removal comes in between.
  await shared.accept(source, { userId: 'gone' });
  const regulation = await regulate(shared, ['gone']);
  await receiver.until(() => deletes(receiver.arrivals).length >= 6);
  const before = receiver.arrivals.length;
  const [first] = deletes(receiver.arrivals);
  await receiver.until(() => (deletes(receiver.arrivals).at(-1)?.at ?? 0) - (first?.at ?? 0) > 900);
  expect(await details(shared, regulation)).toMatchObject({ step: 'delivering', notices: { total: 1, ended: 0 } });
  well = true;
  const done = await finished(shared, regulation);
  const attempts = done.subjects[0]?.sources[0]?.notice?.receipts[0]?.attempts ?? [];
  expect(attempts.at(-1)?.status).toBe(200);
  expect(attempts.slice(0, -1).every(({ status }) => status === 500)).toBe(true);
  expect(receiver.arrivals.slice(before).filter(({ message }) => message['type'] !== 'delete')).toEqual([]);
  expect(await shared.settled(destination, 3)).toMatchObject({ processed: 1 });
});

test('a delete message that is refused for good has failed, and a replay sends it', async () => {
  let status = 410;
  const receiver = await receive(({ message }) => (message['type'] === 'delete' ? status : 200));
  const source = await shared.source();
  const destination = await shared.destination(source, receiver.url());
  await shared.accept(source, { userId: 'refused' });
  await receiver.waitFor(1);
  const regulation = await regulate(shared, ['refused']);
  const refused = await finished(shared, regulation);
  expect(refused.notices).toEqual({ total: 1, ended: 1, delivered: 0, failed: 1, filtered: 0 });
  expect(refused.subjects[0]?.sources[0]?.notice).toMatchObject({
    state: 'failed',
    receipts: [{ reason: 'rejected' }],
  });
  const of = `/api/regulations/${regulation.id}`;
  expect((await shared.must<RegulationDetails>('GET', `${of}?notice=failed`)).subjects).toEqual(refused.subjects);
  expect(await shared.must('GET', `${of}?notice=delivered`)).toMatchObject({ subjects: [], next: null });
  status = 200;
  await shared.must('POST', '/api/replays', { destinationId: destination.id, state: 'failed' });
  const done = await eventually(
    () => details(shared, regulation),
    ({ notices }) => notices.failed === 0,
  );
  expect(done.subjects[0]?.sources[0]?.notice?.receipts[0]?.attempts.map((each) => each.status)).toEqual([410, 200]);
  expect(new Set(deletes(receiver.arrivals).map(({ text }) => text)).size).toBe(1);
});

test('a suppressed user is refused call by call, by every id of a call, until the suppression is lifted', async () => {
  const receiver = await receive();
  const source = await shared.source();
  await shared.destination(source, receiver.url());
  // What comes while it searches would be the user's too.
  await finished(shared, await regulate(shared, ['né/42'], 'SUPPRESS_WITH_DELETE'));
  const message = expect.any(String);
  const refusal = (index: number) => ({ index, code: 'user_suppressed', message });
  const batch = [
    { type: 'track', event: 'A', userId: 'né/42', properties: { secret: 'of the suppressed' } },
    { type: 'track', event: 'B', userId: 'other' },
    { type: 'alias', userId: 'né/42', previousId: 'anonymous' },
    { type: 'alias', userId: 'new', previousId: 'né/42' },
    { type: 'track', event: 'C', anonymousId: 'né/42' },
    { type: 'track', event: 'D', anonymousId: 'né/43' },
  ];
  const sent = await shared.send(source, 'batch', { batch });
  expect([sent.status, JSON.parse(sent.text)]).toEqual([
    200,
    { success: true, rejected: [refusal(0), refusal(2), refusal(3), refusal(4)] },
  ]);
  const single = await shared.send(source, 'track', { event: 'D', userId: 'né/42' });
  expect([single.status, JSON.parse(single.text)]).toEqual([200, { success: true, rejected: [refusal(0)] }]);
  await receiver.waitFor(2);
  expect(receiver.arrivals.map((arrival) => arrival.message['event']).sort()).toEqual(['B', 'D']);
  const { text } = await shared.api('GET', `/api/sources/${source.id}/rejections`);
  expect(text).toContain('user_suppressed');
  expect(text).not.toContain('of the suppressed');

  await shared.kill();
  await shared.start();
  expect((await shared.send(source, 'track', { event: 'E', userId: 'né/42' })).text).toContain('user_suppressed');
  const path = `/api/suppressions/${encodeURIComponent('né/42')}`;
  expect(await shared.must('GET', '/api/suppressions')).toMatchObject({ items: [{ userId: 'né/42' }], next: null });
  const some = (prefix: string): Promise<object> =>
    shared.must('GET', `/api/suppressions?prefix=${encodeURIComponent(prefix)}`);
  expect([await some('né/'), await some('NÉ')]).toMatchObject([{ items: [{ userId: 'né/42' }] }, { items: [] }]);
  await shared.must('DELETE', path);
  expect(await shared.refused('DELETE', path)).toMatchObject({ status: 404 });
  await shared.accept(source, { event: 'F', userId: 'né/42' });
  await receiver.until(() => receiver.arrivals.some((arrival) => arrival.message['event'] === 'F'));
  expect(filesWith(shared, 'of the suppressed')).toEqual([]);
  const audit = await shared.api('GET', '/api/audit');
  expect(audit.text).toContain('suppression.lift');
  expect(audit.text).not.toMatch(/né|n%C3%A9/i);
});

test('5,000 users in one request, two sources, kill -9 again and again: one notice each', {
  timeout: 180_000,
}, async () => {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'warn' });
  const receiver = await receive();
  const [one, two] = [await service.source(), await service.source()];
  const destination = await service.destination(one, receiver.url('/one'));
  const users = Array.from({ length: 5_000 }, (_, i) => `user-${i}-of-5000`);
  for (const source of [one, two]) {
    for (let from = 0; from < users.length; from += 500) {
      const batch = users
        .slice(from, from + 500)
        .map((userId) => ({ type: 'identify', userId, traits: { x: 'MARKER' } }));
      expect((await service.send(source, 'batch', { batch })).text).toBe('{"success":true}');
    }
  }
  // It gets the notices alone.
  const late = await service.destination(two, receiver.url('/two'));
  const regulation = await regulate(service, users, 'SUPPRESS_WITH_DELETE');
  let left = 6;
  const steps = new Set<string>();
  const done = await eventually(
    async () => {
      const now = await details(service, regulation);
      if (left > 0 && now.status === 'running') {
        left--;
        steps.add(now.step);
        await service.kill();
        await service.start();
      }
      return now;
    },
    ({ status }) => status === 'finished',
    150_000,
  );
  expect(left).toBeLessThan(6);
  expect(done).toMatchObject({
    users: 5_000,
    events: { found: 10_000, removed: 10_000 },
    notices: { total: 10_000, ended: 10_000, failed: 0 },
  });
  for (const path of ['/one', '/two']) {
    expect(new Set(deletes(receiver.on(path)).map(({ message }) => message['userId'])).size).toBe(5_000);
  }
  expect(await service.settled(destination, 10_000)).toMatchObject({ failed: 0 });
  expect(await service.settled(late, 5_000)).toMatchObject({ failed: 0 });
  const { subjects } = JSON.parse(
    (await service.api('GET', `/api/regulations/${regulation.id}/report`)).text,
  ) as RegulationReport;
  expect(subjects).toHaveLength(5_000);
  expect(
    subjects.every(
      ({ sources }) => sources.length === 2 && sources.every(({ notice }) => notice?.state === 'delivered'),
    ),
  ).toBe(true);
  await service.must('DELETE', `/api/regulations/${regulation.id}`);
  await service.must('POST', '/api/regulations/compact');
  await heldBy(service, 'MARKER', []);
  await heldBy(service, 'user-4999-of-5000', ['millrace.db']);
  await service.must('DELETE', '/api/suppressions/user-4999-of-5000');
  await service.must('POST', '/api/regulations/compact');
  await heldBy(service, 'user-4999-of-5000', []);
});

test('bad input is refused with its paths, a viewer is refused, and the audit log names what was done', async () => {
  const good = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['u1'] };
  const wrong: readonly (readonly [object, string])[] = [
    [{ ...good, regulationType: 'DELETE' }, 'regulationType'],
    [{ ...good, subjectType: 'EMAIL' }, 'subjectType'],
    [{ ...good, subjectIds: [] }, 'subjectIds'],
    [{ ...good, subjectIds: ['u1', ''] }, 'subjectIds.1'],
    [{ ...good, subjectIds: [7] }, 'subjectIds.0'],
    [{ ...good, subjectIds: Array.from({ length: 5_001 }, (_, i) => `u${i}`) }, 'subjectIds'],
    [{ ...good, more: 1 }, 'more'],
    [{ regulationType: 'DELETE_ONLY', subjectType: 'USER_ID' }, 'subjectIds'],
  ];
  const made = async (): Promise<readonly AuditEntry[]> =>
    (await shared.must<Page<AuditEntry>>('GET', '/api/audit?action=regulation')).items;
  const before = await made();
  for (const [body, path] of wrong) {
    const { status, code, errors } = await shared.refused('POST', '/api/regulations', body);
    expect([status, code, errors?.map((each) => each.path)]).toEqual([400, 'invalid_input', [path]]);
  }
  expect(await shared.refused('GET', '/api/regulations/reg_none')).toMatchObject({ status: 404 });
  const { token } = await shared.must<{ token: string }>('POST', '/api/tokens', { name: 'V', role: 'viewer' });
  const answer = await fetch(`${shared.url}/api/regulations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(good),
  });
  expect(answer.status).toBe(403);
  const regulation = await regulate(shared, ['u1']);
  await finished(shared, regulation);
  const [entry, ...others] = await made();
  expect(others).toEqual(before);
  expect(entry).toMatchObject({
    action: 'regulation.create',
    target: { type: 'regulation', id: regulation.id },
    fields: ['regulationType', 'subjectType', 'subjectIds'],
  });
});

test.each(['disconnected', 'deleted'])(
  'a delete message that waits goes out though its source is %s meanwhile',
  async (change) => {
    const userId = `of a ${change} source`;
    const receiver = await receive();
    const source = await shared.source();
    const destination = await shared.destination(source, receiver.url());
    await shared.accept(source, { userId });
    await receiver.waitFor(1);
    await shared.must('POST', `/api/destinations/${destination.id}/pause`, {});
    const regulation = await regulate(shared, [userId]);
    await eventually(
      () => details(shared, regulation),
      ({ step }) => step === 'delivering',
    );
    if (change === 'deleted') await shared.must('DELETE', `/api/sources/${source.id}`);
    else await shared.must('PATCH', `/api/destinations/${destination.id}`, { sourceIds: [] });
    await shared.must('POST', `/api/destinations/${destination.id}/resume`, {});
    const { notices } = await finished(shared, regulation);
    expect(notices).toMatchObject({ total: 1, failed: 0, filtered: 0 });
    expect(deletes(receiver.arrivals)).toHaveLength(1);
  },
);
