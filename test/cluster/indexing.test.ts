import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sampleEvent } from '../../packages/server/src/log/conformance.ts';
import { eventually } from '../system/kit/eventually.ts';
import { openLogWorld, type Servers, startServers } from './log-world.ts';
import { needNats } from './nats.ts';
import { connected } from './postgres.ts';

const nats = await needNats();

describe.skipIf(!nats)('the index of a stream', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterAll(async () => {
    await servers.stop();
  });

  test('goes on with what it could not write, though nothing more comes', async () => {
    const world = await openLogWorld(servers);
    onTestFinished(() => world.close());
    await using database = await connected(world.database);
    const through = (): Promise<number> => world.index.through(0);
    await world.log.append([sampleEvent('s', 'm1')]);
    const first = await eventually(through, (position) => position > 0);
    await database.query('ALTER TABLE millrace.sources RENAME TO away');
    await world.log.append([sampleEvent('s', 'm2')]);
    await eventually(
      () => world.reports,
      (reports) => reports.length > 0,
    );
    await database.query('ALTER TABLE millrace.away RENAME TO sources');
    await eventually(through, (position) => position > first);
    expect((await world.log.totals()).get('s')).toEqual({ accepted: 2, duplicates: 0 });
  });
});
