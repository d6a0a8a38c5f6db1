import { describe, expect, onTestFinished, test } from 'vitest';
import type { Regulation, RegulationDetails, Source } from '../../packages/server/src/admin/contract.ts';
import { shardOfSource } from '../../packages/server/src/stores/jetstream/position.ts';
import { PeopleService } from '../people/service.ts';
import { eventually } from '../system/kit/eventually.ts';
import { sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';
import { connected } from './postgres.ts';

const nats = await needNats();

const SHARDS = 4;

describe.skipIf(!nats)('sources spread over several streams', () => {
  const servers = sharedServers();

  test('a user of all of them who goes on calling while erased: what is known is what the logs hold, before and after a rebuild', {
    timeout: 90_000,
  }, async () => {
    const ground = await servers.ground();
    const service = await new PeopleService({ ...ground, MILLRACE_NATS_STREAMS: String(SHARDS) }).start();
    onTestFinished(() => service.close());
    const byShard = new Map<number, Source>();
    while (byShard.size < SHARDS) {
      const source = await service.source();
      byShard.set(shardOfSource(source.id, SHARDS), source);
    }
    const sent = new Map<string, string[]>();
    const call = async (source: Source, userId: string): Promise<void> => {
      const id = await service.accept(source, { userId, event: 'Call' });
      if (userId === 'caller') sent.set(source.id, [...(sent.get(source.id) ?? []), id]);
    };
    const sources = [...byShard.values()];
    for (const source of sources) {
      for (const userId of ['caller', 'somebody', 'caller']) await call(source, userId);
    }
    const body = { regulationType: 'DELETE_ONLY', subjectType: 'USER_ID', subjectIds: ['caller'] };
    let running = true;
    const calling = (async () => {
      while (running) for (const source of sources) await call(source, 'caller');
    })();
    const { id } = await service.must<Regulation>('POST', '/api/regulations', body);
    const done = await eventually(
      () => service.must<RegulationDetails>('GET', `/api/regulations/${id}`),
      ({ status }) => status === 'finished',
      60_000,
    ).finally(() => {
      running = false;
    });
    await calling;
    const known = async (): Promise<ReadonlySet<string>> => {
      await eventually(
        () => service.people.state(),
        ({ lag, rebuilding }) => lag === 0 && rebuilding === null,
      );
      await using client = await connected(ground['MILLRACE_DATABASE_URL'] ?? '');
      const { rows } = await client.query<{ message_id: string }>('SELECT message_id FROM millrace.profile_events');
      return new Set(rows.map(({ message_id }) => message_id));
    };
    // What was answered is counted when it is in the index.
    const left = await eventually(known, (ids) => [...sent.values()].every((of) => ids.has(of.at(-1) ?? '')));
    for (const [sourceId, ids] of sent) {
      // Of each source those that were accepted after the erasure, without a gap.
      const [seen] = done.subjects[0]?.sources.filter((of) => of.sourceId === sourceId) ?? [];
      expect(ids.filter((messageId) => left.has(messageId))).toEqual(ids.slice(seen?.events));
    }
    await service.people.rebuild();
    expect(await known()).toEqual(left);
    expect((await service.people.state()).persons).toBe(2);
  });
});
