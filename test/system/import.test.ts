import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type {
  Audience,
  Destination,
  Member,
  NewAudience,
  Page,
  PeopleStatus,
  Replay,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { need } from '../needs.ts';
import type { Call } from './kit/admin.ts';
import { eventually } from './kit/eventually.ts';
import { type Arrival, receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, type Service, sharedService } from './kit/service.ts';

const PEOPLE_DOC = readFileSync(new URL('../../docs/people.md', import.meta.url), 'utf8');

const service = sharedService();
const curl = await need('curl');

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const iso = (time: number): string => new Date(time).toISOString();
const daysAgo = (days: number): string => iso(Date.now() - days * DAY);

async function importCalls(to: Service, source: Source, batch: readonly Call[], more: object = {}): Promise<void> {
  const calls = batch.map((call) => ({ type: 'track', ...call }));
  const answer = await to.send(source, 'import', { batch: calls, ...more });
  expect(answer).toMatchObject({ status: 200, text: '{"success":true}' });
}

const reasonsOf = async (destination: Destination): Promise<(string | null)[]> => {
  const { items } = await service.deliveries({ destinationId: destination.id, state: 'filtered', limit: '500' });
  return items.map(({ reason }) => reason);
};

const times = (arrivals: readonly Arrival[]): unknown[] =>
  arrivals.map(({ message }) => [message['messageId'], message['timestamp']]).toSorted();

describe('contract 1.4: import of history', () => {
  test('1, 3: a month of past calls arrives with its timestamps, where the destination takes such an age', async () => {
    const receiver = await receive();
    const source = await service.source();
    const any = await service.destination(source, receiver.url('/any'));
    const week = await service.destination(source, receiver.url('/week'), { maxEventAgeHours: 7 * 24 });
    const calls = Array.from({ length: 30 * 8 }, (_, i) => ({
      ...{ type: i % 8 === 0 ? 'identify' : 'track', event: 'Order', userId: `u${i % 5}` },
      ...{ messageId: `month-${i}`, timestamp: daysAgo(29.99 - i / 8) },
    }));
    await importCalls(service, source, calls);
    expect(await service.settled(any, 240)).toMatchObject({ processed: 240, filtered: 0 });
    expect(await service.settled(week, 240)).toMatchObject({ processed: 56, filtered: 184 });
    const said = calls.map(({ messageId, timestamp }) => [messageId, timestamp]);
    expect(times(receiver.on('/any'))).toEqual(said.toSorted());
    expect(times(receiver.on('/week'))).toEqual(said.slice(184).toSorted());
    expect(await reasonsOf(week)).toEqual(Array.from({ length: 184 }, () => 'too_old'));
  });

  test('2: a call without a timestamp has the time of the service, and is new', async () => {
    const receiver = await receive();
    const source = await service.source();
    const hour = await service.destination(source, receiver.url(), { maxEventAgeHours: 1 });
    const before = Date.now();
    await importCalls(service, source, [
      { event: 'None', userId: 'u1' },
      { event: 'Unreadable', userId: 'u1', timestamp: 'last spring' },
    ]);
    expect(await service.settled(hour, 2)).toMatchObject({ processed: 2 });
    for (const { message } of receiver.arrivals) {
      expect(message['timestamp']).toBe(message['receivedAt']);
      expect(Date.parse(String(message['timestamp']))).toBeGreaterThanOrEqual(before);
    }
  });

  test('the age is that of the delivered timestamp: a clock that is wrong makes nothing old or new', async () => {
    const receiver = await receive();
    const source = await service.source();
    const hour = await service.destination(source, receiver.url(), { maxEventAgeHours: 1 });
    const send = async (event: string, clock: number, ago: number): Promise<void> => {
      const sentAt = iso(Date.now() + clock);
      const call = { type: 'track', event, userId: 'u1', timestamp: iso(Date.parse(sentAt) - ago) };
      await service.send(source, 'batch', { batch: [call], sentAt });
    };
    await send('New', -12 * HOUR, HOUR / 2);
    await send('Old', 12 * HOUR, 2 * HOUR);
    expect(await service.settled(hour, 2)).toMatchObject({ processed: 1, filtered: 1 });
    expect(receiver.arrivals.map(({ message }) => message['event'])).toEqual(['New']);
  });

  test('a replay judges by the age an event had when it was accepted, and by the settings of now', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), { maxEventAgeHours: 24 });
    await importCalls(service, source, [{ event: 'Old', userId: 'u1', timestamp: daysAgo(2) }]);
    expect(await service.settled(destination, 1)).toMatchObject({ filtered: 1 });
    const replay = async (): Promise<void> => {
      const { id } = await service.must<Replay>('POST', '/api/replays', {
        ...{ destinationId: destination.id, state: 'all' },
      });
      await eventually(
        () => service.must<Replay>('GET', `/api/replays/${id}`),
        ({ status }) => status === 'done',
      );
    };
    await replay();
    expect(await service.settled(destination, 1)).toMatchObject({ filtered: 1 });
    expect(await reasonsOf(destination)).toEqual(['too_old']);
    await service.must('PATCH', `/api/destinations/${destination.id}`, { maxEventAgeHours: null });
    await replay();
    expect(await service.settled(destination, 1)).toMatchObject({ processed: 1, filtered: 0 });
    expect(receiver.arrived).toBe(1);
  });

  test.skipIf(!curl)('the examples of docs/people.md do what they say', async () => {
    const receiver = await receive();
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const variables = {
      ORIGIN: service.url,
      WRITE_KEY: source.writeKey,
      TOKEN: ADMIN_TOKEN,
      DESTINATION: destination.id,
    };
    const run = async (example: string): Promise<string> => {
      const block =
        new RegExp(`<!-- example: ${example} -->\n\`\`\`sh\n([\\s\\S]*?)\`\`\``).exec(PEOPLE_DOC)?.[1] ?? '';
      const { stdout } = await promisify(execFile)('sh', ['-e', '-c', block], {
        env: { ...process.env, ...variables },
      });
      return stdout;
    };
    expect(await run('import')).toBe('{"success":true}');
    expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });
    expect(times(receiver.arrivals)).toEqual([
      ['crm-1', '2026-01-08T09:30:00.000Z'],
      ['crm-2', '2026-01-08T09:31:00.000Z'],
    ]);
    expect(JSON.parse(await run('longest-age'))).toMatchObject({ id: destination.id, maxEventAgeHours: 168 });
    await importCalls(service, source, [{ event: 'Old', userId: 'u1', timestamp: '2026-01-08T09:32:00Z' }]);
    expect(await service.settled(destination, 3)).toMatchObject({ processed: 2, filtered: 1 });
  });

  test('a test message is sent, however old', async () => {
    const receiver = await receive();
    const destination = await service.destination(await service.source(), receiver.url(), { maxEventAgeHours: 1 });
    const timestamp = daysAgo(300);
    const event = { type: 'track', event: 'Old', userId: 'u1', timestamp };
    await service.must('POST', `/api/destinations/${destination.id}/test`, { event });
    const [arrival] = await receiver.waitFor(1);
    expect(arrival?.message).toMatchObject({ event: 'Old', timestamp });
  });
});

describe('audiences and an import', () => {
  // Persons are a service's, not a source's.
  const own = sharedService();

  const ordered = (lastDays: number): NewAudience['definition'] => ({ event: { name: 'Order' }, during: { lastDays } });

  /** What identify calls have told on a path, in the order of their times. */
  const told = (arrivals: readonly Arrival[]): unknown[] =>
    arrivals
      .toSorted((a, b) => String(a.message['timestamp']).localeCompare(String(b.message['timestamp'])))
      .map(({ message }) => [message['userId'], ...Object.values(message['traits'] as object)]);

  const members = async ({ id }: Audience): Promise<(string | null)[]> => {
    const { items } = await own.must<Page<Member>>('GET', `/api/audiences/${id}/members`);
    return items.map(({ userId }) => userId).toSorted();
  };

  /** Resolves when all calls are taken in, everything is decided and nothing waits to be told. */
  const decided = async ({ id }: Audience): Promise<void> => {
    await eventually(
      () => own.must<PeopleStatus>('GET', '/api/profiles/status'),
      ({ lag, outbox }) => lag === 0 && outbox === 0,
    );
    await eventually(
      () => own.must<Audience>('GET', `/api/audiences/${id}`),
      ({ state }) => state === 'live',
    );
  };

  test('windows are decided at the times of the events: no word of those that were over, an exit when one ends', async () => {
    const receiver = await receive();
    const source = await own.source();
    const [live, later] = await Promise.all(
      ['/live', '/later'].map((path) => own.destination(source, receiver.url(path), { sourceIds: [] })),
    );
    const create = (name: string, days: number, to: Destination | undefined): Promise<Audience> =>
      own.must('POST', '/api/audiences', {
        ...{ name, definition: ordered(days), destinationIds: to ? [to.id] : [] },
      });
    const week = await create('Ordered last 7 days', 7, live);
    const order = (userId: string, days: number): Call => ({ event: 'Order', userId, timestamp: daysAgo(days) });
    await importCalls(own, source, [
      ...[29, 20, 12, 8].map((days) => order('long ago', days)),
      ...[25, 10, 2].map((days) => order('again', days)),
      ...[2, 6, 4, 1, 3, 5].map((days) => order('often', days)),
      // Calls of an import come in any order.
      ...[1, 30].map((days) => order('backwards', days)),
      ...Array.from({ length: 30 }, (_, day) => ({ event: 'View', userId: 'looks', timestamp: daysAgo(day) })),
    ]);
    await decided(week);
    const inside = ['again', 'backwards', 'often'];
    expect(await members(week)).toEqual(inside);

    // One whose window ends in a few seconds.
    const happened = Date.now() - 7 * DAY + 6_000;
    await importCalls(own, source, [{ event: 'Order', userId: 'leaving', timestamp: iso(happened) }]);
    await receiver.waitFor(5, '/live');
    await decided(week);
    expect(await members(week)).toEqual(inside);
    const arrivals = receiver.on('/live');
    expect(told(arrivals).slice(0, 3).toSorted()).toEqual(inside.map((userId) => [userId, true]));
    expect(told(arrivals).slice(3)).toEqual([
      ['leaving', true],
      ['leaving', false],
    ]);
    const left = arrivals.find(({ message }) => Object.values(message['traits'] as object)[0] === false);
    expect(Date.parse(String(left?.message['timestamp']))).toBeGreaterThanOrEqual(happened + 7 * DAY);

    // An audience that is made afterwards finds the same history, and tells each member once.
    const days11 = await create('Ordered last 11 days', 11, later);
    await receiver.waitFor(5, '/later');
    await decided(days11);
    const all = [...inside, 'leaving', 'long ago'].toSorted();
    expect(await members(days11)).toEqual(all);
    expect(told(receiver.on('/later')).toSorted()).toEqual(all.map((userId) => [userId, true]));
    // The import told destinations nothing else meanwhile.
    expect(receiver.on('/live')).toHaveLength(5);
  });
});
