import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Regulation, RegulationDetails, RegulationReach } from '../../packages/server/src/admin/contract.ts';
import { compacted } from '../system/kit/compaction.ts';
import { eventually } from '../system/kit/eventually.ts';
import { receive } from '../system/kit/receiver.ts';
import { PeopleService } from './service.ts';

async function world() {
  const service = await new PeopleService().start();
  onTestFinished(() => service.close());
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  return { service, receiver, source, destination };
}

async function regulate(service: PeopleService, ...subjectIds: string[]): Promise<Regulation> {
  const body = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds };
  return service.must<Regulation>('POST', '/api/regulations', body);
}

function finished(service: PeopleService, { id }: Regulation): Promise<RegulationDetails> {
  return eventually(
    () => service.must<RegulationDetails>('GET', `/api/regulations/${id}`),
    ({ status }) => status === 'finished',
  );
}

/** The files of the data folder that hold a text anywhere. */
function filesWith({ dataDir }: PeopleService, text: string): string[] {
  return readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));
}

const personOf = ({ people }: PeopleService, id: string) => people.questions('test').person(id, Date.now());

/** How many calls of a source people/ has taken in, and the log holds. */
async function eventsOf(service: PeopleService, id: string): Promise<readonly string[]> {
  return ((await personOf(service, id))?.events.items ?? []).map(({ messageId }) => messageId).toSorted();
}

test('a deletion reaches the person by every id: memberships, values, what was told; no call speaks of them any more', async () => {
  const { service, receiver, source, destination } = await world();
  const { definitions } = service.people;
  const destinationIds = [destination.id];
  const buyers = await definitions.create('audience', {
    name: 'Buyers',
    definition: { event: { name: 'Order' }, during: { lastDays: 30 } },
    destinationIds,
  });
  const spent = await definitions.create('trait', {
    name: 'Spent',
    definition: { compute: { last: 'note' }, event: { name: 'Order' } },
    destinationIds,
  });
  const order = { event: 'Order', properties: { note: 'marker-of-the-note' } };
  await service.accept(source, { userId: null, anonymousId: 'browser-of-erin', ...order });
  // A placeholder is no userId: this call is hers by the browser.
  await service.accept(source, { userId: 'guest', anonymousId: 'browser-of-erin', ...order });
  await service.accept(source, { userId: 'erin-at-first', anonymousId: 'browser-of-erin', ...order });
  await service.accept(source, { userId: 'erin-now', previousId: 'erin-at-first' }, 'alias');
  await service.accept(source, { userId: 'erin-now', traits: { email: 'marker-of-the-email' } }, 'identify');
  await service.accept(source, { userId: 'erin-now', groupId: 'a-group', traits: { size: 5 } }, 'group');
  await service.accept(source, { userId: 'somebody', event: 'Order', properties: { note: 'kept-note' } });
  await eventually(
    () => definitions.get('audience', buyers.id),
    ({ size }) => size === 2,
  );
  await receiver.until(() => receiver.arrivals.some(({ text }) => text.includes('"spent":"kept-note"')));
  await receiver.until(() => receiver.arrivals.some(({ text }) => text.includes('"spent":"marker-of-the-note"')));
  const ids = ['erin-at-first', 'erin-now', 'browser-of-erin'];
  expect((await personOf(service, 'erin-now'))?.identities.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  for (const text of ['marker-of-the-note', 'marker-of-the-email', ...ids]) {
    expect(filesWith(service, text)).not.toEqual([]);
  }

  const regulation = await regulate(service, 'erin-at-first');
  const done = await finished(service, regulation);
  for (const id of ids) expect(await personOf(service, id)).toBeNull();
  await compacted(service, regulation);
  for (const text of ['marker-of-the-note', 'marker-of-the-email', 'erin-now', 'browser-of-erin']) {
    expect([text, filesWith(service, text)]).toEqual([text, []]);
  }
  expect(filesWith(service, 'erin-at-first')).toEqual(['millrace.db']);
  expect(filesWith(service, 'kept-note')).toContain('people.db');
  const { size } = await definitions.get('audience', buyers.id);
  expect([size, (await definitions.get('trait', spent.id)).size]).toEqual([1, 1]);
  // Every source that has spoken of the person sends a delete message, those of audiences and traits too.
  const [subject] = done.subjects;
  const sources = [source.id, buyers.sourceId, spent.sourceId];
  expect(subject?.sources.map(({ sourceId }) => sourceId).toSorted()).toEqual(sources.toSorted());
  const deletes = receiver.arrivals.filter(({ message }) => message['type'] === 'delete');
  expect(deletes.map(({ message }) => message['userId'])).toEqual(sources.map(() => 'erin-at-first'));
  const after = receiver.arrivals.slice(receiver.arrivals.findIndex(({ message }) => message['type'] === 'delete'));
  expect(after).toHaveLength(deletes.length);

  // What people/ no longer reads is shown as no delivery of anybody's.
  const { items } = await service.deliveries({});
  expect(items.length).toBeGreaterThan(0);
  expect(new Set(items.map(({ destinationId }) => destinationId))).toEqual(new Set(destinationIds));

  // A call by this id makes a new person.
  const again = await service.accept(source, { userId: 'erin-at-first', event: 'Order', properties: { note: 'new' } });
  await receiver.until(() => receiver.arrivals.some(({ text }) => text.includes('"spent":"new"')));
  expect(await eventsOf(service, 'erin-at-first')).toEqual([again]);

  // A rebuild finds nothing of the first life in the log.
  await service.people.rebuild();
  await eventually(
    () => service.people.status(),
    ({ rebuilding }) => !rebuilding,
  );
  expect(await eventsOf(service, 'erin-at-first')).toEqual([again]);
  expect(await personOf(service, 'browser-of-erin')).toBeNull();
});

test('an alias of another user stays, whatever anonymous id the two share', async () => {
  const { service, source } = await world();
  await service.accept(source, { userId: 'stays', previousId: 'earlier', anonymousId: 'shared' }, 'alias');
  await service.accept(source, { userId: null, anonymousId: 'device' });
  await service.accept(source, { userId: 'stays', previousId: 'device' }, 'alias');
  for (const anonymousId of ['shared', 'device'])
    await service.accept(source, { userId: 'goes', anonymousId }, 'identify');
  const idsOf = async (id: string) => (await personOf(service, id))?.identities.map((one) => one.id).toSorted();
  await eventually(
    () => idsOf('goes'),
    (ids) => String(ids) === 'device,goes,shared',
  );
  const reach = await service.must<RegulationReach>('POST', '/api/regulations', {
    ...{ regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['goes'], dryRun: true },
  });
  const { events } = await finished(service, await regulate(service, 'goes'));
  expect([events, reach.events.found]).toEqual([{ found: 3, removed: 3 }, 3]);
  await service.people.rebuild();
  await eventually(
    () => service.people.status(),
    ({ rebuilding }) => !rebuilding,
  );
  expect(await idsOf('stays')).toEqual(['device', 'earlier', 'shared', 'stays']);
  expect(await idsOf('goes')).toBeUndefined();
});

test('a user who goes on calling: what is known afterwards is what the log holds, call by call, and nothing of it is lost', async () => {
  const { service, source, destination } = await world();
  const audience = await service.people.definitions.create('audience', {
    name: 'Callers',
    definition: { event: { name: 'Call' } },
    destinationIds: [destination.id],
  });
  const sent: string[] = [];
  const call = async (): Promise<void> => {
    const anonymousId = sent.length % 3 === 0 ? 'browser-of-the-caller' : null;
    sent.push(await service.accept(source, { userId: 'caller', event: 'Call', ...(anonymousId && { anonymousId }) }));
  };
  await call();
  let running = true;
  const calling = (async () => {
    while (running && sent.length < 45) await call();
  })();
  const regulation = await regulate(service, 'caller');
  const done = await finished(service, regulation);
  running = false;
  await calling;
  await call();
  const left = await eventually(
    () => eventsOf(service, 'caller'),
    (ids) => ids.includes(sent.at(-1) ?? ''),
  );
  // Accepted after the deletion began, one after the other: a rest without gaps.
  expect(left).toEqual(sent.slice(-left.length).toSorted());
  const [shop] = done.subjects[0]?.sources.filter(({ sourceId }) => sourceId === source.id) ?? [];
  expect((shop?.events ?? 0) + left.length).toBe(sent.length);
  await service.people.rebuild();
  await eventually(
    () => service.people.status(),
    ({ rebuilding }) => !rebuilding,
  );
  expect(await eventsOf(service, 'caller')).toEqual(left);
  expect((await service.decided(audience)).size).toBe(1);
});

test('an erasure waits for what was accepted and not taken in, and for a rebuild, which waits for it in turn', async () => {
  const { service, source } = await world();
  const batch = Array.from({ length: 300 }, (_, i) => ({ type: 'track', event: 'Call', userId: `user-${i}` }));
  await service.send(source, 'batch', { batch });
  const stopping = new AbortController();
  const { people } = service.app;
  await people.rebuild();
  await service.accept(source, { userId: 'user-7', anonymousId: 'browser-of-7', event: 'Call' });
  const erased = await people.erase('reg_x', ['user-7', 'nobody'], stopping.signal);
  expect(erased.ids.map((ids) => ids.toSorted())).toEqual([['browser-of-7', 'user-7'], ['nobody']]);
  expect(await personOf(service, 'browser-of-7')).toBeNull();
  // The log still holds the calls: a rebuild that read it now would bring them back.
  await people.rebuild();
  await service.restart();
  expect(await service.people.erase('reg_x', ['user-7', 'nobody'], stopping.signal)).toEqual(erased);
  expect(service.people.status().rebuilding).toBe(true);
  await service.people.finishErasure('reg_x', stopping.signal);
  await eventually(
    () => service.people.status(),
    ({ rebuilding }) => !rebuilding,
  );
  stopping.abort(new Error('stopped'));
  await expect(service.people.erase('reg_y', ['user-8'], stopping.signal)).rejects.toThrow('stopped');
  expect(await personOf(service, 'user-8')).not.toBeNull();
});
