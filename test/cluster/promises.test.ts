import { describe } from 'vitest';
import { runAsNodes } from '../system/kit/service.ts';
import { sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';

// What is promised of one process is promised of a node: the same tests, on NATS and PostgreSQL.
if (await needNats()) {
  const servers = sharedServers();
  runAsNodes(() => servers.ground());
  // In a block each: the node that the tests of a file share lives no longer than they do.
  describe('deliveries', async () => void (await import('../system/deliveries.test.ts')));
  describe('filters', async () => void (await import('../system/filters.test.ts')));
  describe('pauses', async () => void (await import('../system/pauses.test.ts')));
  describe('the order of a user', async () => void (await import('../system/user-order.test.ts')));
  describe('retries', async () => void (await import('../system/retries.test.ts')));
  describe('edited URLs', async () => void (await import('../system/edited-urls.test.ts')));
  describe('replays', async () => void (await import('../system/replay.test.ts')));
  describe('duplicates', async () => void (await import('../system/dedupe.test.ts')));
  describe('crashes', async () => void (await import('../system/crash.test.ts')));
  describe('long ids', async () => void (await import('../system/long-ids.test.ts')));
}
