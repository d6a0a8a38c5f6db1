import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTool } from '../../checks/tool.ts';
import { needNats, startNats } from '../cluster/nats.ts';
import { startPostgres } from '../cluster/postgres.ts';
import { need } from '../needs.ts';
import { addUp } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { Load } from '../system/kit/load.ts';
import { receive } from '../system/kit/receiver.ts';
import { Service } from '../system/kit/service.ts';
import { backUpStream, restoreStream } from './stream-backup.ts';

const STREAM = 'millrace-events-0';
const there = (await needNats()) && (await need('pg_dump'));

describe.skipIf(!there)('a backup of a cluster', () => {
  test('of the database, then of the stream, has every event that was answered 200 before it, and none stands still', {
    timeout: 180_000,
  }, async () => {
    const [nats, postgres] = await Promise.all([startNats(), startPostgres()]);
    onTestFinished(async () => {
      await Promise.all([nats.stop(), postgres.stop()]);
    });
    const [database, restored] = [await postgres.createDatabase(), await postgres.createDatabase()];
    const arrived = new Set<unknown>();
    const receiver = await receive(
      ({ message }) => {
        arrived.add(message['messageId']);
        return 200;
      },
      { keep: false },
    );
    const service = await node(nats.url, database);
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const load = new Load(service, source, { parallel: 2, size: () => 20 });

    load.start();
    await more(load);
    const folder = temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const dump = join(folder, 'millrace.dump');
    await run('pg_dump', '--format=custom', `--file=${dump}`, database);
    // What is delivered from here on is known to the stream's consumers, and not to the dump.
    await more(load);
    const answered = [...load.accepted];
    const stream = await backUpStream(nats.url, STREAM);
    await more(load);
    await load.stop();
    await service.kill();

    const empty = await startNats();
    onTestFinished(() => empty.stop());
    await run('pg_restore', '--no-owner', `--dbname=${restored}`, dump);
    await restoreStream(empty.url, stream);
    arrived.clear();
    const again = await node(empty.url, restored);
    const counts = await eventually(
      async () => addUp(await again.counts(destination)),
      ({ accepted, waiting }) => accepted >= answered.length && waiting === 0,
      60_000,
    );
    expect(counts).toMatchObject({ processed: counts.accepted, failed: 0 });
    // What the dump did not know as delivered came again.
    expect(arrived.size).toBeGreaterThan(0);
    expect(arrived.size).toBeLessThan(counts.accepted);
  });
});

async function node(natsUrl: string, databaseUrl: string): Promise<Service> {
  const service = new Service({
    MILLRACE_NATS_URL: natsUrl,
    MILLRACE_DATABASE_URL: databaseUrl,
    MILLRACE_RETRY_WINDOW: '4h',
    MILLRACE_LOG_LEVEL: 'error',
  });
  onTestFinished(() => service.close());
  return service.start();
}

/** Resolves when a thousand more calls got their 200. */
async function more(load: Load): Promise<void> {
  const before = load.accepted.size;
  await eventually(
    () => load.accepted.size,
    (accepted) => accepted >= before + 1_000,
  );
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { code, output } = await runTool(program, args);
  if (code !== 0) throw new Error(`${program}: ${output}`);
}
