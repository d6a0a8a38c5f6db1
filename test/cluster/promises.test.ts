import { runAsNodes } from '../system/kit/service.ts';
import { sharedServers } from './cluster.ts';
import { needNats } from './nats.ts';

// What is promised of one process is promised of a node: the same tests, on NATS and PostgreSQL.
if (await needNats()) {
  const servers = sharedServers();
  runAsNodes(() => servers.ground());
  await import('../system/deliveries.test.ts');
  await import('../system/filters.test.ts');
  await import('../system/pauses.test.ts');
  await import('../system/user-order.test.ts');
  await import('../system/retries.test.ts');
  await import('../system/edited-urls.test.ts');
  await import('../system/replay.test.ts');
  await import('../system/dedupe.test.ts');
  await import('../system/crash.test.ts');
  await import('../system/long-ids.test.ts');
}
