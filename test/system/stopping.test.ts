import { existsSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addUp } from './kit/admin.ts';
import { at, eventually } from './kit/eventually.ts';
import { Load } from './kit/load.ts';
import { receive } from './kit/receiver.ts';
import { Service, sharedService } from './kit/service.ts';

/** Each test ends it, and starts it again. */
const service = sharedService({ MILLRACE_LOG_LEVEL: 'info' });

describe('contract 13: SIGTERM, SIGINT and SIGHUP drain and exit 0', () => {
  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s under load: what was answered is delivered, or waits for the next start',
    async (signal) => {
      const receiver = await receive(() => new Promise((resolve) => setTimeout(() => resolve(200), 5)));
      const source = await service.source();
      const destination = await service.destination(source, receiver.url());
      const load = new Load(service, source, { parallel: 4, size: () => 20 });
      load.start();
      await receiver.waitFor(200);
      service.signal(signal);
      expect(await service.exit).toEqual({ code: 0, signal: null });
      await load.stop();
      await service.start();
      const { accepted } = addUp(await service.counts(destination));
      expect(accepted).toBeGreaterThanOrEqual(load.accepted.size);
      expect(await service.settled(destination, accepted)).toMatchObject({ processed: accepted });
      const came = new Set(receiver.arrivals.map(({ message }) => message['messageId']));
      expect([...load.accepted].filter((id) => !came.has(id))).toEqual([]);
      // A drain finishes what is under way and writes it down: nothing goes out twice.
      expect(receiver.arrived).toBe(came.size);
    },
  );

  test('during the start too', async () => {
    const starting = new Service();
    onTestFinished(() => starting.close());
    starting.launch();
    // Taken when it begins to open its folder.
    await eventually(
      () => existsSync(starting.file('millrace.lock')),
      (isThere) => isThere,
    );
    expect(await starting.stop()).toEqual({ code: 0, signal: null });
  });

  test('what is under way is finished and written down', async () => {
    const policy = { timeout: '20s' };
    const held = Promise.withResolvers<200>();
    const receiver = await receive(() => held.promise);
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), { policy });
    await service.accept(source);
    await receiver.waitFor(1);
    service.signal('SIGTERM');
    held.resolve(200);
    expect((await service.exit).code).toBe(0);
    await service.start();
    expect(await service.counts(destination)).toMatchObject({ accepted: 1, processed: 1, waiting: 0 });
    expect(receiver.arrived).toBe(1);
  });

  test('an endpoint that hangs does not keep it', async () => {
    const policy = { timeout: '1s' };
    const receiver = await receive('hang');
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), { policy });
    await service.accept(source);
    await receiver.waitFor(1);
    expect((await service.stop()).code).toBe(0);
    receiver.become(() => 200);
    await service.start();
    expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
  });

  test('the first signal delivered twice is one signal', async () => {
    const policy = { timeout: '20s' };
    const held = Promise.withResolvers<200>();
    const receiver = await receive(() => held.promise);
    const source = await service.source();
    await service.destination(source, receiver.url(), { policy });
    await service.accept(source);
    await receiver.waitFor(1);
    service.signal('SIGINT');
    service.signal('SIGINT');
    service.signal('SIGTERM');
    held.resolve(200);
    expect(await service.exit).toEqual({ code: 0, signal: null });
    await service.start();
  });

  test('another one a second or more later exits at once, and loses nothing', async () => {
    const policy = { timeout: '30s' };
    const receiver = await receive('hang');
    const source = await service.source();
    const destination = await service.destination(source, receiver.url(), { policy });
    await service.accept(source);
    const [arrival] = await receiver.waitFor(1);
    service.signal('SIGTERM');
    await at(Date.now() + 1_100);
    expect(await Promise.race([service.exit, Promise.resolve('still draining')])).toBe('still draining');
    service.signal('SIGTERM');
    const { code } = await service.exit;
    expect(code).not.toBe(0);
    receiver.become(() => 200);
    await service.start();
    expect(await service.settled(destination, 1)).toMatchObject({ processed: 1 });
    expect(receiver.arrivals[1]?.text).toBe(arrival?.text);
  });
});
