import { describe, expect, test } from 'vitest';
import type { Destination, Loopback } from '../../packages/server/src/admin/contract.ts';
import { begin, millrace } from '../cli/command.ts';
import { eventually } from './kit/eventually.ts';
import { receive } from './kit/receiver.ts';
import { ADMIN_TOKEN, startService } from './kit/service.ts';

const GUARDED = { MILLRACE_ALLOW_PRIVATE_URLS: null };

describe('a service that is bound to this machine alone', () => {
  test('may send to it once an admin has allowed that, until it ends; then its events are held, and nothing fails', async () => {
    const service = await startService(GUARDED);
    const receiver = await receive();
    const source = await service.source();
    const body = {
      name: 'CRM',
      type: 'Webhooks',
      sourceIds: [source.id],
      settings: { webhooks: [{ url: receiver.url() }] },
    };
    expect(await service.refused('POST', '/api/destinations', body)).toMatchObject({ code: 'address_not_allowed' });
    expect(await service.must('GET', '/api/loopback')).toEqual({ allowed: false, canBeAllowed: true, held: 0 });

    expect(await service.must('POST', '/api/loopback/allow')).toEqual({ allowed: true, canBeAllowed: true, held: 0 });
    const destination = await service.must<Destination>('POST', '/api/destinations', body);
    const elsewhere = { ...body, settings: { webhooks: [{ url: 'http://10.0.0.1/' }] } };
    expect(await service.refused('POST', '/api/destinations', elsewhere)).toMatchObject({
      code: 'address_not_allowed',
    });
    await service.accept(source);
    expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
    const { items } = await service.must<{ items: { action: string }[] }>('GET', '/api/audit?limit=5');
    expect(items.map(({ action }) => action)).toContain('loopback.allow');

    await service.stop();
    await service.start();
    expect(await service.must('GET', '/api/loopback')).toEqual({ allowed: false, canBeAllowed: true, held: 1 });
    await service.accept(source);
    expect(await service.status(destination)).toMatchObject({ held: true });
    expect(await service.counts(destination)).toMatchObject({ accepted: 2, processed: 1, waiting: 1, failed: 0 });
    const overview = await service.must<{ destinations: object[] }>('GET', '/api/overview');
    expect(overview.destinations).toMatchObject([
      { health: 'failing', reason: 'Sending to this machine is not allowed, so its events wait' },
    ]);
    expect(receiver.arrived).toBe(1);

    await service.must('POST', '/api/loopback/allow');
    expect(await service.settled(destination, 2)).toMatchObject({ processed: 2, failed: 0 });
    expect(await service.status(destination)).toMatchObject({ held: false });
  });

  test('what waited for a retry is held too, beyond its window', async () => {
    const service = await startService(GUARDED);
    let isDown = true;
    const receiver = await receive(() => (isDown ? 500 : 200));
    const source = await service.source();
    await service.must('POST', '/api/loopback/allow');
    const destination = await service.destination(source, receiver.url());
    await service.accept(source);
    await receiver.waitFor(1);
    await service.kill();
    isDown = false;
    await service.start();
    // The window is two seconds.
    const begun = Date.now();
    await eventually(
      () => Promise.resolve(Date.now() - begun),
      (passed) => passed > 2_500,
    );
    expect(await service.counts(destination)).toMatchObject({ waiting: 1, failed: 0 });
    await service.must('POST', '/api/loopback/allow');
    expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
  });
});

test('what was held while no command listened is signed with the secret of the next `listen --connect`', async () => {
  const service = await startService(GUARDED);
  const args = ['listen', '--connect', '--allow-loopback', '--count', '1'];
  const env = (): Record<string, string> => ({ MILLRACE_URL: service.url, MILLRACE_ADMIN_TOKEN: ADMIN_TOKEN });
  const first = begin([...args, '--port', '0'], { env: env() });
  const [port = ''] = await first.said(/Receiving on http:\S+:(\d+)/);
  expect((await millrace(['send'], { env: env() })).code).toBe(0);
  expect((await first.ended).code).toBe(0);

  await service.stop();
  await service.start();
  expect((await millrace(['send'], { env: env() })).code).toBe(0);
  const { code, stdout } = await millrace([...args, '--port', port], { env: env() });
  expect(stdout).toContain('1 request arrived: 1 verified');
  expect(code).toBe(0);
});

test('a service that other machines reach can’t be allowed to', async () => {
  const service = await startService({ ...GUARDED, MILLRACE_HOST: '0.0.0.0' });
  service.url = service.url.replace('0.0.0.0', '127.0.0.1');
  expect(await service.must<Loopback>('GET', '/api/loopback')).toEqual({
    allowed: false,
    canBeAllowed: false,
    held: 0,
  });
  expect(await service.refused('POST', '/api/loopback/allow')).toMatchObject({ code: 'conflict' });
  const env = { MILLRACE_URL: service.url, MILLRACE_ADMIN_TOKEN: ADMIN_TOKEN };
  const { code, stderr } = await millrace(['listen', '--connect', '--allow-loopback', '--port', '0'], { env });
  expect(code).toBe(1);
  expect(stderr).toContain('MILLRACE_ALLOW_PRIVATE_URLS=true');
  expect(stderr).not.toContain('--allow-loopback');
});
