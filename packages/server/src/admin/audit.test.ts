import { afterAll, beforeAll, expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { createLogger } from '../observe/logger.ts';
import { refusalAudit } from './audit.ts';
import type { AuditEntry } from './contract.ts';
import { openWorld, type World } from './test-server.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

test('however many addresses refused callers have, few entries are written, and the next says how many were left out', async () => {
  const clock = new HandClock();
  const note = refusalAudit({ accounts: world.accounts, clock }, 'session.refuse');
  const log = createLogger({ level: 'silent', to: process.stdout });
  const refuse = (n: number) => note({ caller: null, address: `2001:db8:0:${n}::1`, log }, 'admin token');
  const entries = async (): Promise<AuditEntry[]> =>
    (await world.get('/api/audit?action=session.refuse&limit=500')).body['items'] as AuditEntry[];
  for (let n = 0; n < 300; n++) await refuse(n);
  expect(await entries()).toHaveLength(100);

  clock.advance(60_000);
  await refuse(300);
  const [newest, before] = await entries();
  expect(newest).toMatchObject({ address: '2001:db8:0:300::1', values: [{ field: 'leftOut', after: '200' }] });
  expect(before).toMatchObject({ actor: 'admin token', address: '2001:db8:0:99::1', values: [] });

  clock.advance(15 * 60_000);
  for (let n = 0; n < 300; n++) await refuse(n);
  expect(await entries()).toHaveLength(201);
});
