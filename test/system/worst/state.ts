import type { Source } from '../../../packages/server/src/admin/contract.ts';
import { eventually } from '../kit/eventually.ts';
import type { Service } from '../kit/service.ts';
import type { Known } from './places.ts';
import { repeated } from './shapes.ts';

/** What there is in a service that hostile requests are sent to, and what it is called in paths and bodies. */
export interface State {
  /** Its calls go to a destination. */
  readonly source: Source;
  /** For batches: its calls go nowhere. */
  readonly bulk: Source;
  readonly known: Known;
  /** What stands for a parameter of a path; `changes` when the request changes or removes what it names. */
  idFor(path: string, changes: boolean): Promise<string>;
}

const USER = 'person of many traits';
const BATCHES = 5;

/** As long as 5,000 of them may be in one body. */
const gone = (n: number): string => `gone-${n}`.padEnd(200, 'x');

/** Fills a service as far as calls and requests can fill it. */
export async function makeState(service: Service, url: string): Promise<State> {
  const source = await service.source({ name: 'Single calls' });
  const bulk = await service.source({ name: 'Batches' });
  const destination = await service.destination(source, url);
  await service.accept(source, { messageId: 'm-kept' });
  await fillPerson(service, bulk);

  const condition = { event: { name: 'Product Added' } };
  const hundred = Array.from({ length: 98 }, (_, n) => ({ trait: `t0-${n}`, is: { exists: true } }));
  const id = async (path: string, body: object): Promise<string> =>
    (await service.must<{ readonly id: string }>('POST', path, body)).id;
  const make: Readonly<Record<string, () => Promise<string>>> = {
    sources: async () => (await service.source({ name: 'To be changed' })).id,
    destinations: () =>
      id('/api/destinations', {
        name: 'D',
        type: 'Webhooks',
        settings: { webhooks: [{ url: 'http://127.0.0.1:9/' }] },
      }),
    audiences: () => id('/api/audiences', { name: `A${Math.random()}`, definition: { all: hundred } }),
    traits: () =>
      id('/api/traits', { name: `T${Math.random()}`, definition: { compute: { uniqueList: 'sku' }, ...condition } }),
    tokens: () => id('/api/tokens', { name: 'T', role: 'viewer' }),
    regulations: () =>
      id('/api/regulations', {
        regulationType: 'SUPPRESS_WITH_DELETE',
        subjectType: 'USER_ID',
        subjectIds: Array.from({ length: 5_000 }, (_, n) => gone(n)),
      }),
    replays: () => id('/api/replays', { destinationId: destination.id, state: 'all', filter: { userId: 'nobody' } }),
  };
  const kept = new Map([
    ['sources', bulk.id],
    ['destinations', destination.id],
    ['messages', 'm-kept'],
    ['people', USER],
    ['projects', bulk.writeKey],
    ['suppressions', gone(1)],
    ['pixel', 'track'],
  ]);
  const spare = new Map<string, string>();
  const names: Readonly<Record<string, unknown>> = {
    destinationId: destination.id,
    sourceId: source.id,
    sourceIds: [],
    url: 'http://127.0.0.1:9/',
    userId: 'u',
    person: USER,
    writeKey: undefined,
  };

  return {
    source,
    bulk,
    known: (name) => names[name],
    async idFor(path, changes) {
      const kind = path.split('/')[2] ?? '';
      const there = kept.get(kind);
      const maker = make[kind];
      if (!changes && there !== undefined) return there;
      if (maker === undefined) return there ?? firstOf(service, kind);
      const ids = changes ? spare : kept;
      const last = ids.get(kind);
      if (last !== undefined && (await service.api('GET', `/api/${kind}/${last}`)).status === 200) return last;
      const made = await maker();
      ids.set(kind, made);
      return made;
    },
  };
}

/** The id of any item of a kind. */
async function firstOf(service: Service, kind: string): Promise<string> {
  const { status, text } = await service.api('GET', `/api/${kind}?limit=1`);
  const { items } = (status === 200 ? JSON.parse(text) : {}) as { items?: readonly { readonly id?: string }[] };
  return items?.[0]?.id ?? 'x';
}

/** A person with more traits than any page could show. */
async function fillPerson(service: Service, source: Source): Promise<void> {
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const traits = (n: number): string => repeated(30_000, (k) => `"t${batch * 20 + n}-${k}":"${k}"`, '{', '}');
    const call = (n: number): string =>
      `{"type":"identify","userId":"${USER}","context":{"ip":"203.0.113.9"},"traits":${traits(n)}}`;
    await service.send(source, 'batch', repeated(510_000, call, '{"batch":[', ']}'));
  }
  await eventually(
    () => service.must<{ readonly lag: number }>('GET', '/api/profiles/status'),
    ({ lag }) => lag === 0,
  );
}
