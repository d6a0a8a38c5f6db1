import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { openWorld } from '../stores/sqlite/test-world.ts';
import { alertConformance } from './conformance.ts';
import { NO_ALERT_SETTINGS } from './contract.ts';
import { sealedAlerts } from './sealed-store.ts';

const [KEY, NEW_KEY] = [randomBytes(32), randomBytes(32)];

alertConformance('An alert store whose addresses are encrypted', async () => {
  const world = await openWorld();
  let alerts = await sealedAlerts(world.alerts, [KEY]);
  return {
    get alerts() {
      return alerts;
    },
    async reopen() {
      await world.reopen();
      alerts = await sealedAlerts(world.alerts, [KEY]);
    },
    close: () => world.close(),
  };
});

test('addresses that were kept plain are encrypted when a key is given, and anew when another is', async () => {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const addresses = [{ id: 'adr_1', kind: 'slack', url: 'https://hooks.example/secret' }] as const;
  await world.alerts.saveSettings({ ...NO_ALERT_SETTINGS, revision: 2, addresses });
  const kept = async (): Promise<string> => JSON.stringify(await world.alerts.settings());
  expect(await kept()).toContain('hooks.example');
  await sealedAlerts(world.alerts, [KEY]);
  const first = await kept();
  expect(first).not.toContain('hooks.example');
  expect(await (await sealedAlerts(world.alerts, [NEW_KEY, KEY])).settings()).toMatchObject({ addresses, revision: 4 });
  expect(await kept()).not.toBe(first);
  await expect(sealedAlerts(world.alerts, [KEY])).rejects.toThrow(/MILLRACE_SECRETS_KEY lacks the key/);
});
