import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type {
  Page,
  Regulation,
  RegulationDetails,
  RegulationReport,
  Suppression,
} from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();

test('a user id that a call can carry can be deleted and suppressed, however long it is', async () => {
  // Random, so that no index can compress them.
  const ids = [501, 3_000, 30_000].map((length) => `long/${randomBytes(length).toString('base64')}`.slice(0, length));
  const receiver = await receive();
  const source = await service.source();
  await service.destination(source, receiver.url());
  for (const userId of ids) await service.accept(source, { userId, traits: { plan: 'pro' } }, 'identify');
  await receiver.waitFor(ids.length);
  const { id } = await service.must<Regulation>('POST', '/api/regulations', {
    ...{ regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ids },
  });
  const { events, subjects } = await eventually(
    () => service.must<RegulationDetails>('GET', `/api/regulations/${id}`),
    ({ status }) => status === 'finished',
  );
  expect(events).toEqual({ found: 3, removed: 3 });
  expect(subjects.map(({ userId, sources }) => [userId, sources.map(({ notice }) => notice?.state)])).toEqual(
    ids.map((userId) => [userId, ['delivered']]),
  );
  const told = receiver.arrivals.filter(({ message }) => message['type'] === 'delete');
  expect(told.map(({ message }) => message['userId']).toSorted()).toEqual(ids.toSorted());
  const report = await service.must<RegulationReport>('GET', `/api/regulations/${id}/report`);
  expect(report.subjects.map(({ userId }) => userId)).toEqual(ids);

  const [first = ''] = ids;
  const suppressed: string[] = [];
  for (let cursor = ''; ; ) {
    const path = `/api/suppressions?prefix=long/&limit=1${cursor}`;
    const { items, next } = await service.must<Page<Suppression>>('GET', path);
    suppressed.push(...items.map(({ userId }) => userId));
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  expect(suppressed).toEqual(ids.toSorted());
  const batch = ids.map((userId) => ({ type: 'track', event: 'A', userId }));
  const { text } = await service.send(source, 'batch', { batch });
  expect(JSON.parse(text)).toMatchObject({ rejected: ids.map((_, index) => ({ index, code: 'user_suppressed' })) });
  await service.must('DELETE', `/api/suppressions/${encodeURIComponent(first)}`);
  await service.accept(source, { userId: first });
});
