import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { HealthReport } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { removeFolder, temporaryFolder } from './kit/leaks.ts';
import { receive } from './kit/receiver.ts';
import { DEFAULTS, type Service, type Settings, startService } from './kit/service.ts';

const SCRIPT = import.meta.resolve('../cluster/skewed-clock.ts');
const HOUR = 3_600_000;
const SHIFTS = [
  ['an hour back', -HOUR],
  ['a day back', -24 * HOUR],
  ['an hour forward', HOUR],
  ['a day forward', 24 * HOUR],
] as const;
const DAYS = SHIFTS.filter(([name]) => name.startsWith('a day'));

interface Shiftable {
  readonly service: Service;
  /** Sets the clock of the machine, as the process sees it; resolves when the process has noticed. */
  shift(ms: number): Promise<void>;
}

async function startShiftable(settings: Settings = {}): Promise<Shiftable> {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  const file = join(folder, 'skew');
  const service = await startService({ NODE_OPTIONS: `--import=${SCRIPT}`, CLOCK_SKEW_FILE: file, ...settings });
  return {
    service,
    async shift(ms) {
      writeFileSync(file, String(ms));
      process.kill(service.pid, 'SIGUSR2');
      await eventually(
        async () => service.stderr,
        (said) => said.includes(ms > 0 ? 'was set forward' : 'was set back'),
      );
    },
  };
}

test.each(SHIFTS)('a clock set %s stops no retry and ends no window', async (_, ms) => {
  const receiver = await receive(({ attempt }) => (attempt < 4 ? 500 : 200));
  // The window is the default: four hours.
  const { service, shift } = await startShiftable({ MILLRACE_RETRY_WINDOW: DEFAULTS['MILLRACE_RETRY_WINDOW'] ?? null });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const messageId = await service.accept(source);
  await receiver.waitFor(1);
  await shift(ms);
  await receiver.waitFor(4);
  expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
  const { lanes } = await service.trace(messageId);
  const times = lanes[0]?.attempts.map(({ at }) => Date.parse(at)) ?? [];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  await service.accept(source);
  expect(await service.settled(destination, 2)).toMatchObject({ processed: 2 });

  const health = JSON.parse((await ask(`${service.url}/health/ready`)).text) as HealthReport;
  expect(health.status).toBe(ms < 0 ? 'degraded' : 'ok');
});

test.each(DAYS)('an outage while the clock is set %s ends with a probe, and fails nothing', async (_, ms) => {
  let isDown = true;
  const receiver = await receive(() => (isDown ? 500 : 200));
  const { service, shift } = await startShiftable({
    ...DEFAULTS,
    MILLRACE_RETRY_BASE: '50ms',
    MILLRACE_RETRY_CAP: '200ms',
  });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (let i = 0; i < 60; i += 1) await service.accept(source);
  await eventually(
    () => service.status(destination),
    ({ breaker }) => breaker === 'open',
  );
  await shift(ms);
  isDown = false;
  expect(await service.settled(destination, 60)).toMatchObject({ processed: 60, failed: 0 });
});

test.each(DAYS)('what waits for a retry is sent in time after a start with a clock set %s', async (_, ms) => {
  const receiver = await receive(({ attempt }) => (attempt === 1 ? 500 : 200));
  const settings = { ...DEFAULTS, MILLRACE_RETRY_BASE: '1s', MILLRACE_RETRY_CAP: '1s' };
  const service = await startService({ NODE_OPTIONS: `--import=${SCRIPT}`, ...settings });
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  const messageId = await service.accept(source);
  await service.tracedAs(messageId, 'retrying');
  await service.kill();
  await service.start({ CLOCK_SKEW_MS: String(ms) });
  await receiver.waitFor(2);
  expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
});
