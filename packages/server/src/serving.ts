import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AcceptanceRate } from './acceptance-rate.ts';
import type { Accounts } from './accounts/accounts.ts';
import { adminApi, probes } from './admin/plugin.ts';
import type { Alerting } from './alerting.ts';
import { browserScript } from './collect/browser-script.ts';
import { collectionUrl } from './collect/paths.ts';
import { collectRoutes } from './collect/routes.ts';
import type { FindSource } from './collect/write-key.ts';
import type { Collection } from './collection.ts';
import { settingsOf } from './config.ts';
import type { FaultCode } from './core/fault.ts';
import { isPlaceholderId } from './core/placeholder-ids.ts';
import { checkUrl } from './deliver/address.ts';
import { createInspect } from './deliver/inspect.ts';
import type { Delivery, Recording } from './delivering.ts';
import type { Ground } from './ground.ts';
import { createServer } from './http/server.ts';
import { UI_FOLDER, uiRoutes } from './http/ui.ts';
import type { People } from './people/people.ts';
import type { Compaction } from './regulations/compaction.ts';
import type { Regulations } from './regulations/regulations.ts';
import { rulesOf } from './stores.ts';
import { createTestMessage, readTestCall } from './test-message.ts';

/** The HTTP servers, not yet listening. */
export interface Servers {
  readonly server: FastifyInstance;
  /** The server of /metrics and /health if they have a port of their own; else null. */
  readonly management: FastifyInstance | null;
}

export interface Answering extends Recording, Delivery, Collection, Alerting {
  readonly people: People;
  readonly regulations: Regulations;
  readonly compaction: Compaction;
  readonly accounts: Accounts;
  readonly acceptanceRate: AcceptanceRate;
}

export async function openServers(ground: Ground, stages: Answering): Promise<Servers> {
  const { config, logger, health, metrics } = ground;
  const trustProxy = config.trustProxy.length > 0 ? [...config.trustProxy] : false;
  // At most a quarter of the stop timeout, so that deliveries have time too.
  const closeTimeout = Math.min(10_000, config.stopTimeout / 4);
  const server = createServer({ logger, trustProxy, closeTimeout, urlOf: collectionUrl });
  const management = config.managementPort === null ? null : createServer({ logger, trustProxy, closeTimeout });
  const findSource: FindSource = async (key) => {
    const source = await stages.findSource(key);
    return source?.sentBy === undefined ? source : undefined;
  };
  const refused = (code: FaultCode): void => metrics.rejected(null, code);
  await server.register(collectRoutes, { collect: stages.collect, findSource, refused });
  await server.register(browserScript, { folder: join(UI_FOLDER, 'browser'), findSource });
  await registerAdmin(server, ground, stages);
  await management?.register(probes, { health, metrics });
  await server.register(uiRoutes, { folder: UI_FOLDER });
  return { server, management };
}

async function registerAdmin(server: FastifyInstance, ground: Ground, stages: Answering): Promise<void> {
  const { config, store, clock, settings } = ground;
  const { stats, rejectionGroups, deliverer, replays, reach, openSender, sourceTypeOf } = stages;
  await server.register(adminApi, {
    accounts: stages.accounts,
    clock,
    settings,
    log: store.log,
    losses: store.losses,
    end: () => store.erasure.end(),
    backups: store.backups,
    deliveries: store.deliveries,
    alerts: { store: store.alerts, send: stages.sendNotice, canMail: stages.canMail },
    stats: store.stats,
    flushStats: () => stats.flush(),
    perSecond: () => stages.acceptanceRate.perSecond(),
    retention: config.retention,
    retry: stages.retry,
    replays,
    regulations: stages.regulations,
    compaction: stages.compaction,
    isPlaceholderId: (id) => isPlaceholderId(id, rulesOf(config).placeholderIds),
    suppressions: ground.suppressions,
    people: stages.people,
    collect: stages.ownCalls,
    rejections: ground.rejections,
    rejectionGroups,
    readTest: (call) => readTestCall(clock, call),
    sendTest: createTestMessage(clock, openSender, sourceTypeOf),
    inspect: createInspect({ clock, timeout: config.deliveryTimeout, reach }),
    checkUrl: (url, lookUp) => checkUrl(url, { refusal: (host, address) => reach.refusal(host, address), lookUp }),
    reach,
    allowLoopback: () => stages.allowLoopback(),
    caughtUp: async () => (await store.peers.caughtUp()) || store.peers.isCurrent(),
    spread: () => stages.peers.spread(),
    destinationStatus: (id) => deliverer.status(id) ?? null,
    health: ground.health,
    metrics: ground.metrics,
    processSettings: settingsOf(config),
    probesApart: config.managementPort !== null,
  });
}
