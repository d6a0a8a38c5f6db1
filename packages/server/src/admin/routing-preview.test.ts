import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RoutingPreview } from './contract.ts';
import { openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

const preview = async (body: object): Promise<RoutingPreview> => {
  const answer = await world.call('POST', '/api/destinations/preview', body);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as RoutingPreview;
};

test('rules are run over the last day of the sources, and nothing is kept', async () => {
  const { id, source } = await world.destination();
  const other = await world.destination();
  const before = world.settings.destination(id);
  const [, , c] = await world.accept(source, ['a', 'b', 'c']);
  await world.accept(other.source, ['x']);
  expect(await preview({ sourceIds: [] })).toEqual({ looked: 0, all: true, passed: 0, filtered: [], samples: [] });
  const both = await preview({ sourceIds: [source, other.source] });
  expect(both).toMatchObject({ looked: 4, all: true, passed: 4, filtered: [] });
  expect(both.samples).toHaveLength(4);

  const filter = { field: 'userId', is: { exists: false } };
  const none = await preview({ sourceIds: [source], filter });
  const clause = 'userId exists false';
  const sample = { position: c?.position, messageId: 'c', sourceId: source };
  expect(none).toEqual({
    ...{ looked: 3, all: true, passed: 0, samples: [] },
    filtered: [{ reason: 'condition', clause, count: 3, sample }],
  });
  expect(await preview({ sourceIds: [source], consent: ['ads'] })).toMatchObject({
    filtered: [{ reason: 'consent', clause: 'ads', count: 3 }],
  });
  expect(await preview({ sourceIds: [source], trackFilter: { mode: 'deny', events: ['Order'] } })).toMatchObject({
    filtered: [{ reason: 'track_filter', clause: null, count: 3 }],
  });
  expect(world.settings.destination(id)).toEqual(before);
});

test('samples are of calls that the rules change, as they are and as they would leave', async () => {
  const { source } = await world.destination();
  await world.accept(source, ['plain']);
  const body = JSON.stringify({ type: 'track', context: { ip: '203.0.113.7', locale: 'de' }, messageId: 'with' });
  const [changed] = await world.accept(source, ['with'], { body: new TextEncoder().encode(body) });
  const redact = [{ path: 'context.ip', do: 'drop' }];
  const { samples } = await preview({ sourceIds: [source], redact });
  expect(samples).toEqual([
    {
      ...{ position: changed?.position, messageId: 'with', sourceId: source, changed: ['context.ip'] },
      before: JSON.parse(body),
      after: { type: 'track', context: { locale: 'de' }, messageId: 'with' },
    },
  ]);
});

test('of more than 10,000 events the newest are looked at, of each source as many', async () => {
  const [first, second] = [await world.destination(), await world.destination()];
  const ids = Array.from({ length: 6_000 }, (_, place) => `m${place}`);
  await world.accept(first.source, ids);
  await world.accept(second.source, ids);
  const { looked, all, passed } = await preview({ sourceIds: [first.source, second.source] });
  expect([passed, all]).toEqual([looked, false]);
  expect(looked).toBeLessThanOrEqual(10_000);
});

test('what could not be saved is refused, and only an admin may look', async () => {
  const wrong = { sourceIds: ['none'], filter: { field: 'x' }, redact: [{ path: 'x', do: 'drop' }], consent: ['\0'] };
  const refused = await world.call('POST', '/api/destinations/preview', wrong);
  const paths = ['filter.field', 'filter.is', 'redact.0.path', 'consent.0', 'sourceIds.0'];
  expect(refused).toMatchObject({ status: 400, body: { errors: paths.map((path) => ({ path })) } });
  for (const filter of ['', false, 0, []]) {
    const no = await world.call('POST', '/api/destinations/preview', { sourceIds: [], filter });
    expect(no).toMatchObject({ status: 400, body: { errors: [{ path: 'filter' }] } });
  }
});
