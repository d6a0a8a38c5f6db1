import { describe, expect, test } from 'vitest';
import type {
  ApiToken,
  Audience,
  Page,
  SettingsFile,
  SettingsPlan,
  Source,
} from '../../packages/server/src/admin/contract.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { sharedService } from './kit/service.ts';

const service = sharedService();
const ORDERED = { event: { name: 'Order' } };

const create = (name: string, definition: unknown, more: object = {}): Promise<Audience> =>
  service.must('POST', '/api/audiences', { name, definition, ...more });

describe('a bad definition is refused with where it is wrong and how it would be right', () => {
  const deep = (levels: number): object => (levels === 0 ? ORDERED : { not: deep(levels - 1) });
  const conditions: readonly [what: string, definition: unknown, path: string, message: RegExp][] = [
    ['no object', 'x', 'definition', /an object with exactly one of all, any, not, trait/],
    ['null', null, 'definition', /must be a condition/],
    ['a list', [], 'definition', /must be a condition/],
    ['nothing in it', {}, 'definition', /must be a condition/],
    ['two forms', { trait: 'a', any: [] }, 'definition', /it has any and trait/],
    ['an unknown form', { sometimes: ORDERED }, 'definition', /must be a condition/],
    ['no parts', { all: [] }, 'definition.all', /1 to 100 items/],
    ['a wrong part', { all: [ORDERED, { event: { name: '' } }] }, 'definition.all.1.event.name', /1 to 200 characters/],
    ['no name', { not: { event: {} } }, 'definition.not.event.name', /is required/],
    ['an unknown type', { event: { name: 'x', type: 'click' } }, 'definition.event.type', /track, page, screen/],
    ['an unknown field', { ...ORDERED, often: 1 }, 'definition.often', /known here: event, count, during/],
    ['no test', { any: [{ trait: 'plan' }] }, 'definition.any.0.is', /must be a test/],
    ['an unknown test', { trait: 'plan', is: { like: 'p' } }, 'definition.is', /must be a test/],
    ['a text for a number', { trait: 'age', is: { greater: '5' } }, 'definition.is.greater', /must be a number/],
    ['a number for a text', { trait: 'age', is: { contains: 5 } }, 'definition.is.contains', /must be text/],
    ['no time', { trait: 'born', is: { before: 'soon' } }, 'definition.is.before', /ISO 8601/],
    ['never at least', { ...ORDERED, count: { atLeast: 0 } }, 'definition.count.atLeast', /from 1 to 10000$/],
    ['half a time', { ...ORDERED, count: { exactly: 0.5 } }, 'definition.count.exactly', /whole number/],
    ['no days', { ...ORDERED, during: { lastDays: 0 } }, 'definition.during.lastDays', /from 1 to 3650/],
    [
      'an end first',
      { ...ORDERED, during: { from: '2026-02-01', to: '2026-01-01' } },
      'definition.during',
      /begin before/,
    ],
    ['too deep', deep(8), `definition${'.not'.repeat(8)}`, /nested 8 levels/],
    ['too many', { all: Array(100).fill(ORDERED) }, 'definition.all.99', /at most 100 conditions/],
    ['nobody', { all: [ORDERED, { audience: 'aud_none' }] }, 'definition.all.1.audience', /there is no audience/],
  ];

  test.each(conditions)('an audience of %s', async (_, definition, path, message) => {
    const errors = [{ path, message: expect.stringMatching(message) }];
    const refusal = { code: 'invalid_input', errors };
    expect(await service.refused('POST', '/api/audiences', { name: 'Bad', definition })).toMatchObject(refusal);
    expect(await service.refused('POST', '/api/audiences/preview', { definition })).toMatchObject(refusal);
  });

  const traits: readonly [what: string, definition: unknown, path: string, message: RegExp][] = [
    ['no object', 5, 'definition', /compute and event/],
    ['no computation', { event: { name: 'x' } }, 'definition.compute', /exactly one of count, sum/],
    ['two', { compute: { sum: 'a', min: 'a' }, event: { name: 'x' } }, 'definition.compute', /it has sum and min/],
    ['a count of nothing', { compute: { count: 1 }, event: { name: 'x' } }, 'definition.compute.count', /must be true/],
    ['no property', { compute: { sum: '' }, event: { name: 'x' } }, 'definition.compute.sum', /1 to 200/],
    ['no event', { compute: { count: true } }, 'definition.event', /name, type or where/],
  ];

  test.each(traits)('a computed trait of %s', async (_, definition, path, message) => {
    const refusal = { code: 'invalid_input', errors: [{ path, message: expect.stringMatching(message) }] };
    expect(await service.refused('POST', '/api/traits', { name: 'Bad', definition })).toMatchObject(refusal);
    expect(await service.refused('POST', '/api/traits/preview', { definition })).toMatchObject(refusal);
  });

  test('what is wrong beside it is told by its field, and all of it at once', async () => {
    const wrong = async (body: object): Promise<unknown> =>
      (await service.refused('POST', '/api/audiences', body)).errors?.map(({ path }) => path);
    expect(await wrong({ name: 'No definition' })).toEqual(['definition']);
    expect(await wrong({ name: ' ', definition: ORDERED, keys: 1 })).toEqual(expect.arrayContaining(['name', 'keys']));
    expect(await wrong({ name: 'X', key: 'Not Right', definition: {}, destinationIds: ['dst_none'] })).toEqual([
      'key',
      'definition',
      'destinationIds.0',
    ]);
    expect((await service.must<Page<Audience>>('GET', '/api/audiences')).items).toEqual([]);
  });
});

describe('an audience', () => {
  test('has a key of its own, which is made of its name or chosen, and fixed afterwards', async () => {
    const made = await create('Big Spenders', ORDERED);
    expect(made).toMatchObject({ key: 'big_spenders', state: expect.any(String), destinationIds: [] });
    const clash = { name: 'Big, spenders!', definition: ORDERED };
    expect(await service.refused('POST', '/api/audiences', clash)).toMatchObject({ errors: [{ path: 'key' }] });
    expect(
      await service.refused('POST', '/api/traits', { ...clash, definition: { compute: { count: true }, ...ORDERED } }),
    ).toMatchObject({ errors: [{ path: 'key' }] });
    expect(await create('Big, spenders!', ORDERED, { key: 'spenders' })).toMatchObject({ key: 'spenders' });
    const path = `/api/audiences/${made.id}`;
    expect(await service.refused('PATCH', path, { key: 'other' })).toMatchObject({ errors: [{ path: 'key' }] });
    expect(await service.must('PATCH', path, { name: 'Whales' })).toMatchObject({
      name: 'Whales',
      key: 'big_spenders',
    });
    expect(await service.must('GET', `/api/sources/${made.sourceId}`)).toMatchObject({
      name: 'Whales',
      sentBy: made.id,
    });
    expect(await service.refused('GET', `/api/traits/${made.id}`)).toMatchObject({ code: 'not_found' });
  });

  test('can ask about others, not in a circle, and is not deleted while others ask about it', async () => {
    const first = await create('First', ORDERED);
    const second = await create('Second', { any: [{ trait: 'x', is: { exists: true } }, { audience: first.id }] });
    const circle = { definition: { all: [ORDERED, { not: { audience: second.id } }] } };
    expect(await service.refused('PATCH', `/api/audiences/${first.id}`, circle)).toMatchObject({
      errors: [{ path: 'definition.all.1.not.audience', message: expect.stringContaining('Second') }],
    });
    const self = { definition: { audience: first.id } };
    expect(await service.refused('PATCH', `/api/audiences/${first.id}`, self)).toMatchObject({ code: 'invalid_input' });
    expect(await service.refused('DELETE', `/api/audiences/${first.id}`)).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('"Second"'),
    });
    await service.must('DELETE', `/api/audiences/${second.id}`);
    await service.must('DELETE', `/api/audiences/${first.id}`);
  });

  test('is looked at and previewed by a viewer, and changed by an admin alone; the audit log says who did', async () => {
    const audience = await create('Seen', ORDERED);
    const { token } = await service.must<ApiToken & { token: string }>('POST', '/api/tokens', {
      ...{ name: 'A viewer', role: 'viewer' },
    });
    service.secrets.add(token);
    const send = async (method: string, path: string, body?: object): Promise<number> => {
      const json = body ? { body: JSON.stringify(body) } : {};
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      return (await ask(service.url + path, { method, headers, ...json })).status;
    };
    const path = `/api/audiences/${audience.id}`;
    expect(await send('GET', path)).toBe(200);
    expect(await send('GET', `${path}/members`)).toBe(200);
    expect(await send('POST', '/api/audiences/preview', { definition: ORDERED })).toBe(200);
    expect(await send('POST', '/api/audiences', { name: 'Mine', definition: ORDERED })).toBe(403);
    expect(await send('PATCH', path, { name: 'Mine' })).toBe(403);
    expect(await send('POST', `${path}/sync`)).toBe(403);
    expect(await send('DELETE', path)).toBe(403);
    expect(await send('POST', '/api/profiles/rebuild')).toBe(403);
    await service.must('PATCH', path, { name: 'Known' });
    const { items } = await service.must<Page<object>>('GET', '/api/audit?action=audience.');
    expect(items.slice(0, 2)).toMatchObject([
      { action: 'audience.update', target: { type: 'audience', id: audience.id, name: 'Known' }, fields: ['name'] },
      { action: 'audience.create', target: { id: audience.id, name: 'Seen' } },
    ]);
  });
});

describe('the source that an audience sends under', () => {
  test('is shown as what it is, and changed with its audience alone', async () => {
    const audience = await create('Owner', ORDERED);
    const path = `/api/sources/${audience.sourceId}`;
    expect(await service.must('GET', path)).toMatchObject({ name: 'Owner', sentBy: audience.id });
    const refusal = { code: 'conflict', detail: expect.stringContaining(`Owner (${audience.id})`) };
    expect(await service.refused('PATCH', path, { enabled: false })).toMatchObject(refusal);
    expect(await service.refused('POST', `${path}/rotate-key`)).toMatchObject(refusal);
    expect(await service.refused('DELETE', path)).toMatchObject(refusal);
    expect(await service.source()).toMatchObject({ sentBy: null });
  });

  test('is no part of a settings file, which leaves it connected', async () => {
    const receiver = await receive();
    const source = await service.source({ name: 'Plain' });
    const destination = await service.destination(source, receiver.url(), { name: 'Target' });
    const audience = await create('In no file', ORDERED, { destinationIds: [destination.id] });
    const { yaml } = await service.must<SettingsFile>('GET', '/api/settings-file');
    expect(yaml).toContain('Plain');
    expect(yaml).not.toMatch(/In no file|src_none/);
    expect(yaml).not.toContain(audience.sourceId);
    expect(await service.must<SettingsPlan>('POST', '/api/settings-file/plan', { yaml, prune: true })).toMatchObject({
      changes: [],
    });
    const other = yaml.replace(/sources:\n {6}- Plain/, 'sources: []');
    expect(other).not.toBe(yaml);
    await service.must('POST', '/api/settings-file/apply', { yaml: other, prune: true });
    expect(await service.must('GET', `/api/destinations/${destination.id}`)).toMatchObject({
      sourceIds: [audience.sourceId],
    });
    expect(await service.must('GET', `/api/audiences/${audience.id}`)).toMatchObject({
      destinationIds: [destination.id],
    });
    const { items } = await service.must<Page<Source>>('GET', '/api/sources?limit=500');
    expect(items.map(({ id }) => id)).toContain(audience.sourceId);
  });
});
