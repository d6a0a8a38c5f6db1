import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HealthReport, Loss, Page } from '../../packages/server/src/admin/contract.ts';
import { eventually } from './kit/eventually.ts';
import { ask } from './kit/http.ts';
import { receive } from './kit/receiver.ts';
import { Service as RealService, type Service, startService } from './kit/service.ts';

const eventFiles = (service: Service): string[] =>
  readdirSync(service.dataDir).filter((name) => name.startsWith('events-'));

const ready = async (service: Service): Promise<{ readonly status: number; readonly report: HealthReport }> => {
  const { status, text } = await ask(`${service.url}/health/ready`);
  return { status, report: JSON.parse(text) as HealthReport };
};

/** Kills the process and starts it with a data folder that `damage` was done to. */
async function restart(service: Service, damage: () => void): Promise<void> {
  await service.kill();
  damage();
  await service.start();
}

test('a write-ahead log that is gone: the loss is told until an admin takes note, and what comes then is delivered', async () => {
  const service = await startService({}, { mayLogErrors: true });
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (let i = 0; i < 20; i += 1) await service.accept(source, { event: 'Before', messageId: `before-${i}` });
  await service.settled(destination, 20);
  // Positions are saved a moment after they are reached.
  await service.stop();
  await service.start();
  for (let i = 0; i < 20; i += 1) await service.accept(source, { event: 'Lost', messageId: `lost-${i}` });
  await service.settled(destination, 40);
  // What a lane that begins now has seen of the log is in another file than the events.
  await service.destination(source, receiver.url('/late'));
  await restart(service, () => {
    for (const file of eventFiles(service)) if (/-(wal|shm)$/.test(file)) rmSync(service.file(file));
  });

  const { status, report } = await ready(service);
  expect(status).toBe(200);
  expect(report.status).toBe('degraded');
  expect(report.checks.find(({ name }) => name === 'losses')?.reason).toMatch(
    /^at least 20 events that were confirmed/,
  );
  const { items } = await service.must<Page<Loss>>('GET', '/api/losses');
  expect(items).toMatchObject([{ events: 20, what: 'events 21 to 40 of the data folder', notedAt: null }]);
  const metrics = await ask(`${service.url}/metrics`);
  expect(metrics.text).toMatch(/^millrace_lost_events 20$/m);
  expect(metrics.text).toMatch(/^millrace_losses_not_noted 1$/m);
  expect(service.stderr).toContain('events that were confirmed are gone');

  await service.accept(source, { event: 'After', messageId: 'after' });
  await receiver.until(
    () => receiver.arrivals.some(({ message }) => message['messageId'] === 'after'),
    'the event after',
  );
  const counts = await service.counts(destination);
  expect(counts.accepted).toBe(counts.processed + counts.failed + counts.filtered + counts.waiting);

  await service.must('POST', `/api/losses/${items[0]?.id}/note`);
  expect((await ready(service)).report.status).toBe('ok');
  expect((await ask(`${service.url}/metrics`)).text).toMatch(/^millrace_losses_not_noted 0$/m);
  expect((await service.api('POST', '/api/losses/77/note')).status).toBe(404);
});

describe('a file that is missing', () => {
  test('refuses the start with its name, and --accept-loss goes on without it', async () => {
    const service = await startService({}, { mayLogErrors: true });
    const source = await service.source();
    await service.accept(source, { event: 'Lost' });
    await service.stop();
    const file = eventFiles(service).find((name) => name.endsWith('.db')) ?? '';
    for (const name of eventFiles(service)) rmSync(service.file(name));
    service.launch();
    expect(await service.exit).toMatchObject({ code: 1 });
    expect(service.stderr).toContain(`${file} is missing (events from 1 on)`);
    expect(service.stderr).toContain('--accept-loss');

    const going = new RealService({}, { dataDir: service.dataDir, args: ['--accept-loss'], mayLogErrors: true });
    onTestFinished(() => going.close());
    await going.start();
    expect((await ready(going)).report.status).toBe('degraded');
    const receiver = await receive();
    await going.destination(source, receiver.url());
    await going.accept(source, { event: 'After' });
    await receiver.waitFor(1);
    await going.stop();
    // Once: the next start needs no word.
    await service.start();
    expect(await service.must<Page<Loss>>('GET', '/api/losses')).toMatchObject({ items: [{ notedAt: null }] });
  });

  test('under a running process refuses calls and says which', async () => {
    const service = await startService({}, { mayLogErrors: true });
    const source = await service.source();
    await service.accept(source, { event: 'Kept' });
    const file = eventFiles(service).find((name) => name.endsWith('.db')) ?? '';
    rmSync(service.file(file));
    const answer = await service.send(source, 'track', { userId: 'u1', event: 'Refused' });
    expect(answer.status).toBe(503);
    expect(answer.text).toContain(`${file} was removed or replaced while the service runs`);
    const { status, report } = await ready(service);
    expect(status).toBe(503);
    expect(report.checks.find(({ name }) => name === 'storage')?.reason).toContain(file);
  });
});

test('a page that is damaged: health says which file delivering cannot read, and the log says it once a minute', async () => {
  const PAGE_BYTES = 8_192;
  const service = await startService({}, { mayLogErrors: true });
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  await service.must('POST', `/api/destinations/${destination.id}/pause`, {});
  for (let n = 0; n < 60; n += 1) {
    await service.accept(source, {
      messageId: n === 30 ? 'in the damaged page' : `m${n}`,
      properties: { x: 'x'.repeat(1_000) },
    });
  }
  await service.stop();
  const file = eventFiles(service).find((name) => name.endsWith('.db')) ?? '';
  const bytes = readFileSync(service.file(file));
  const page = Math.floor(bytes.indexOf('in the damaged page') / PAGE_BYTES);
  writeFileSync(service.file(file), bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES));
  await service.start();
  const { report } = await eventually(
    () => ready(service),
    (it) => it.report.checks.some(({ name, ok }) => name === 'deliveries' && !ok),
  );
  expect(report.status).toBe('degraded');
  const damaged = `Cannot use ${service.file(file)}: database disk image is malformed: it is damaged. Restore a backup.`;
  expect(report.checks.find(({ name }) => name === 'deliveries')?.reason).toBe(
    `deliveries cannot be read: ${damaged} (${destination.id})`,
  );
  expect(service.stderr.match(/deliveries cannot be read; trying again/g)).toHaveLength(1);
});
