import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runTool } from '../../checks/tool.ts';
import { addUp } from '../system/kit/admin.ts';
import { eventually } from '../system/kit/eventually.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { Load } from '../system/kit/load.ts';
import { receive } from '../system/kit/receiver.ts';
import { type Service, startService } from '../system/kit/service.ts';

/** The backups of docs/operations.md, each made in the middle of a load. */
const WAYS: Readonly<Record<string, (service: Service, copy: string) => Promise<void>>> = {
  async 'the process is paused'(service, copy) {
    service.signal('SIGSTOP');
    await eventually(
      () => stateOf(service.pid),
      (state) => state.startsWith('T'),
    );
    cpSync(service.dataDir, copy, { recursive: true });
    service.signal('SIGCONT');
  },
  async 'the service is stopped'(service, copy) {
    await service.stop();
    cpSync(service.dataDir, copy, { recursive: true });
    await service.start();
  },
};

for (const [way, backUp] of Object.entries(WAYS)) {
  test(`a copy of the data folder that is made while ${way} has every event that was answered 200`, {
    timeout: 120_000,
  }, async () => {
    const arrived = new Set<unknown>();
    const receiver = await receive(503, { keep: false });
    const settings = { MILLRACE_RETRY_WINDOW: '4h', MILLRACE_LOG_LEVEL: 'error' };
    const service = await startService(settings);
    const source = await service.source();
    const destination = await service.destination(source, receiver.url());
    const folder = temporaryFolder();
    onTestFinished(() => removeFolder(folder));
    const copy = join(folder, 'data');

    const load = new Load(service, source, { parallel: 4, size: () => 20 });
    load.start();
    await loaded(load, 2_000);
    await backUp(service, copy);
    const answered = [...load.accepted].slice(0, 2_000);
    await loaded(load, load.accepted.size + 1);
    await load.stop();
    await service.kill();

    receiver.become(({ message }) => {
      arrived.add(message['messageId']);
      return 200;
    });
    const restored = await startService(settings, { dataDir: copy });
    const { accepted } = addUp(await restored.counts(destination));
    expect(accepted).toBeGreaterThanOrEqual(answered.length);
    expect(await restored.settled(destination, accepted, 60_000)).toMatchObject({ processed: accepted, failed: 0 });
    expect(answered.filter((id) => !arrived.has(id))).toEqual([]);
  });
}

/** Resolves when so many calls got their 200. */
async function loaded(load: Load, events: number): Promise<void> {
  await eventually(
    () => load.accepted.size,
    (accepted) => accepted >= events,
  );
}

async function stateOf(pid: number): Promise<string> {
  return (await runTool('ps', ['-o', 'state=', '-p', String(pid)])).output.trim();
}
