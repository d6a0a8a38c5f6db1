import { expect, onTestFinished, test } from 'vitest';
import { canWatch, Disk, damages } from '../power-loss/disk.ts';
import { addUp } from './kit/admin.ts';
import { at } from './kit/eventually.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { Load } from './kit/load.ts';
import { newSeed, random } from './kit/random.ts';
import { receive } from './kit/receiver.ts';
import { areNodes, type Service, type ServiceOptions, type Settings, startService } from './kit/service.ts';

/** `npm run crash` asks for more. A node takes longer to start. */
const KILLS = Number(process.env['KILLS'] ?? (areNodes() ? 4 : 12));
const POWER_LOSSES = Number(process.env['POWER_LOSSES'] ?? 2);
const watches = !areNodes() && (await canWatch());

test(
  'promises 1 to 3: kill -9 at random moments under load loses nothing, and the counts add up',
  {
    timeout: 60_000 + KILLS * 6_000,
  },
  () => seeded((next) => endAgainAndAgain(next, KILLS, (service) => service.kill())),
);

test.skipIf(!watches)(
  'promises 1 to 3: power losses at random moments under load lose nothing, and damage no file',
  {
    timeout: 60_000 + POWER_LOSSES * 8_000,
  },
  () =>
    seeded(async (next) => {
      const dataDir = temporaryFolder();
      onTestFinished(() => removeFolder(dataDir));
      const disk = await Disk.of(dataDir);
      onTestFinished(() => disk.remove());
      const losePower = async (service: Service): Promise<void> => {
        await service.kill();
        disk.losePower(next);
      };
      await endAgainAndAgain(next, POWER_LOSSES, losePower, disk.env, { dataDir });
    }),
);

async function seeded(run: (next: () => number) => Promise<void>): Promise<void> {
  const seed = newSeed();
  try {
    await run(random(seed));
  } catch (error) {
    throw new Error(`with SEED=${seed}: ${error}`, { cause: error });
  }
}

async function endAgainAndAgain(
  next: () => number,
  times: number,
  end: (service: Service) => Promise<void>,
  settings: Settings = {},
  options: ServiceOptions = {},
): Promise<void> {
  const service = await startService({ MILLRACE_LOG_LEVEL: 'warn', MILLRACE_RETRY_WINDOW: '4h', ...settings }, options);
  const bodies = new Map<string, Map<string, string>>();
  let changed = 0;
  const receiver = await receive(
    ({ path, message, text }) => {
      const id = String(message['messageId']);
      const seen = bodies.get(path) ?? new Map<string, string>();
      bodies.set(path, seen);
      const before = seen.get(id);
      if (before !== undefined && before !== text) changed += 1;
      seen.set(id, text);
      if (path !== '/flaky') return 200;
      const luck = next();
      return luck < 0.85 ? 200 : luck < 0.95 ? 500 : 'reset';
    },
    { keep: false },
  );
  const source = await service.source();
  const steady = await service.destination(source, receiver.url('/steady'));
  const flaky = await service.destination(source, receiver.url('/flaky'));
  const picky = await service.destination(source, receiver.url('/picky'), {
    trackFilter: { mode: 'deny', events: ['Load'] },
  });
  const load = new Load(service, source, { parallel: 4, size: () => 1 + Math.floor(next() * 40) });

  for (let n = 0; n < times; n++) {
    // However slow the machine is, each end has something to lose.
    if (load.accepted.size <= n) await load.send();
    load.start();
    // The moment is what is random here: from at once to 0.4 s of work.
    await at(Date.now() + next() * 400);
    // Some of the ends come in the middle of what a start still has to do.
    if (next() < 0.2) {
      await end(service);
      await service.start();
    }
    await end(service);
    await load.stop();
    await service.start();
    if (!areNodes()) expect(damages(service.dataDir)).toEqual([]);
    expect(await service.must('GET', '/api/losses')).toMatchObject({ items: [] });
    for (const destination of [steady, flaky, picky]) addUp(await service.counts(destination));
  }
  expect(load.accepted.size).toBeGreaterThan(times);
  expect([...load.others.keys()].filter((status) => status !== 0)).toEqual([]);

  // What was not answered may have been taken all the same, so `accepted` is at least the number of 200s.
  const { accepted } = await service.counts(steady);
  expect(accepted).toBeGreaterThanOrEqual(load.accepted.size);
  expect(await service.settled(steady, accepted, 60_000)).toMatchObject({
    processed: accepted,
    failed: 0,
    filtered: 0,
  });
  expect(await service.settled(flaky, accepted, 60_000)).toMatchObject({ processed: accepted, failed: 0, filtered: 0 });
  expect(await service.settled(picky, accepted, 60_000)).toMatchObject({ processed: 0, failed: 0, filtered: accepted });
  const missed = (path: string): string[] => [...load.accepted].filter((id) => !bodies.get(path)?.has(id));
  expect(missed('/steady')).toEqual([]);
  expect(missed('/flaky')).toEqual([]);
  expect(bodies.get('/steady')?.size).toBe(accepted);
  expect(bodies.get('/picky')).toBeUndefined();
  // Promise 3: the same bytes on every attempt.
  expect(changed).toBe(0);
  expect(service.stderr).toBe('');
}
