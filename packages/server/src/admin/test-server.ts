import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { TSchema } from 'typebox';
import Compile from 'typebox/compile';
import { type Accounts, createAccounts } from '../accounts/accounts.ts';
import { hashOf } from '../accounts/secrets.ts';
import type { AlertStore } from '../alerts/contract.ts';
import { createOwnCalls } from '../collect/collector.ts';
import { parseConfig, settingsOf } from '../config.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import type { Event, LogEntry, NewEvent } from '../core/event.ts';
import { isPlaceholderId } from '../core/placeholder-ids.ts';
import { Trouble } from '../core/trouble.ts';
import { checkUrl } from '../deliver/address.ts';
import { createInspect } from '../deliver/inspect.ts';
import { Reach } from '../deliver/reach.ts';
import { createServer } from '../http/server.ts';
import type { EventLog } from '../log/contract.ts';
import { Health } from '../observe/health.ts';
import { createLogger } from '../observe/logger.ts';
import { Metrics } from '../observe/metrics.ts';
import { Rejections } from '../observe/rejections.ts';
import { People } from '../people/people.ts';
import { openPeopleThreads } from '../people-threads.ts';
import type { DeliveryStore, StatsStore } from '../record/contract.ts';
import { RejectionGroups } from '../record/rejection-groups.ts';
import { leavesFailed, Replays } from '../record/replay.ts';
import { Regulations } from '../regulations/regulations.ts';
import { Suppressions } from '../regulations/suppressions.ts';
import { Settings } from '../settings/settings.ts';
import { openSqliteStore } from '../stores/sqlite/store.ts';
import { readTestCall } from '../test-message.ts';
import type * as contract from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { newId, newWriteKey } from './ids.ts';
import { adminApi } from './plugin.ts';
import { SCHEMAS } from './schemas/shape.ts';

export const TOKEN = 'correct-horse-battery-staple';

/** A valid destination. */
export const GOOD: contract.NewDestination = {
  name: 'CRM',
  type: 'Webhooks',
  settings: { webhooks: [{ url: 'https://203.0.112.9/hook' }] },
};

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: Record<string, unknown>;
}

export interface Route {
  readonly path: string;
  readonly method: string;
  /** `action` of the route's config; undefined if it has none. */
  readonly action: string | null | undefined;
}

export interface World {
  readonly origin: string;
  readonly settings: Settings;
  readonly accounts: Accounts;
  readonly log: EventLog;
  readonly deliveries: DeliveryStore;
  readonly stats: StatsStore;
  readonly alerts: AlertStore;
  readonly rejections: Rejections;
  readonly people: People;
  /** Host names that were looked up. All resolve to public addresses, except those ending in `.internal`. */
  readonly lookedUp: string[];
  /** Other nodes: whether their changes are heard, and how often an answer waited until they heard of a change. */
  readonly others: { areHeard: boolean; waits: number };
  /** All routes of the server, with paths in OpenAPI's form. */
  readonly routes: readonly Route[];
  get(path: string): Promise<Answer>;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
  raw(path: string, body: string | Uint8Array, type: string): Promise<Answer>;
  source(): Promise<contract.Source>;
  /** Creates a destination with a source of its own. */
  destination(): Promise<{ readonly id: string; readonly source: string }>;
  accept(
    sourceId: string,
    messageIds: readonly string[],
    more?: Partial<NewEvent>,
  ): Promise<readonly (LogEntry | undefined)[]>;
  /** Waits until a destination's retry queue has new work, and answers its id. */
  woken(): Promise<string | undefined>;
  wrongPaths(answer: Answer): string[];
  logged(): string;
  /** Makes readiness fail with this reason; null ends that. */
  ail(reason: string | null): void;
  close(): Promise<void>;
}

/** The admin API over a real store, on its own port. `accountsClock` is the time of sessions and sign-ins. */
export async function openWorld(accountsClock: Clock = systemClock): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-admin-'));
  const store = await openSqliteStore({ dataDir, clock: systemClock });
  const settings = new Settings(store.settings, store.log, systemClock);
  await settings.load();
  const wakes: string[] = [];
  const lookedUp: string[] = [];
  let onWake = (): void => undefined;
  const replays = new Replays({
    store: store.deliveries,
    clock: systemClock,
    newId: () => newId('rpl'),
    scopeOf: async ({ destinationId, webhookId }) => {
      const destination = settings.destination(destinationId);
      if (!destination?.enabled) return null;
      const { sourceIds } = destination;
      return { sourceIds, connectedIds: sourceIds, leavesFailed: leavesFailed(destination, webhookId) };
    },
    exists: (id) => settings.destination(id) !== undefined,
    undone: () => undefined,
    wake: (id) => {
      wakes.push(id);
      onWake();
    },
    lookEvery: null,
    log: createLogger({ level: 'silent', to: new Writable() }),
  });
  await replays.start();
  const lines: string[] = [];
  const to = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  const rejections = new Rejections();
  const rejectionGroups = new RejectionGroups({
    store: store.rejections,
    refused: rejections,
    clock: systemClock,
    failed: (error) => {
      throw error;
    },
  });
  const suppressions = new Suppressions(store.regulations);
  const others = { areHeard: true, waits: 0 };
  const threads = openPeopleThreads({ dataDir });
  const collect = createOwnCalls({
    append: (events) => store.log.append(events),
    source: (id) => settings.source(id),
    suppressed: suppressions,
    clock: systemClock,
    rejections,
    meter: { accepted: () => undefined, duplicates: () => undefined, rejected: () => undefined },
  });
  const people = new People({
    log: store.log,
    settings,
    caughtUp: async () => true,
    threads: threads.threads,
    collect,
    end: () => store.erasure.end(),
    shards: 1,
    rest: 1_000,
    keep: null,
    clock: systemClock,
    newId,
    newWriteKey,
    gracePeriod: 0,
    report: (error) => lines.push(String(error)),
  });
  await people.start();
  const regulations = new Regulations({
    store: store.regulations,
    erasure: store.erasure,
    suppressions,
    log: store.log,
    deliveriesOf: (position) => store.deliveries.deliveriesOf(position),
    isDelivered: (id) => settings.destinations().some(({ sourceIds }) => sourceIds.includes(id)),
    profiles: people,
    withdraw: () => undefined,
    removers: [],
    lookEvery: 60_000,
    clock: systemClock,
    newId: () => newId('reg'),
    trouble: new Trouble('a deletion could not go on', (error) => lines.push(String(error))),
  });
  await regulations.start();
  const health = new Health(systemClock);
  let ailment: string | null = null;
  health.add('ready', 'storage', () => ailment);
  const accounts = createAccounts({
    store: store.accounts,
    clock: accountsClock,
    random: randomBytes,
    newId,
    adminTokenHash: hashOf(TOKEN),
    log: createLogger({ level: 'silent', to: new Writable() }),
  });
  const reach = new Reach({ allowPrivate: false, isLocal: true });
  const deps: AdminDeps = {
    accounts,
    clock: systemClock,
    settings,
    log: store.log,
    losses: store.losses,
    end: () => store.erasure.end(),
    reach,
    allowLoopback: () => reach.allowLoopback(),
    backups: store.backups,
    deliveries: store.deliveries,
    alerts: {
      store: store.alerts,
      send: async ({ kind }) => ({ outcome: 'sent', detail: `by ${kind}`, retryAfter: null }),
      canMail: false,
    },
    stats: store.stats,
    flushStats: async () => undefined,
    perSecond: () => 12.5,
    retention: 7 * 24 * 60 * 60 * 1000,
    retry: { base: 5_000, cap: 600_000, window: 14_400_000 },
    replays,
    regulations,
    compaction: { ask: () => store.regulations.askCompaction({ at: Date.now(), now: true }) },
    isPlaceholderId,
    suppressions,
    people,
    collect,
    rejections,
    rejectionGroups,
    readTest: (call) => readTestCall(systemClock, call),
    sendTest: async (destination, { messageId, sourceId, body }) => {
      const [webhook] = destination.webhooks;
      const attempt = { url: webhook?.url ?? '', at: 0, ms: 12, status: 200, error: null, detail: null, answer: 'ok' };
      const tested = { class: 'success' as const, headers: { 'X-Millrace-Source': sourceId }, attempt };
      return { messageId, body: new TextDecoder().decode(body), urls: [tested] };
    },
    checkUrl: (text, lookUp) => {
      const resolve = async (name: string): Promise<string[]> => {
        lookedUp.push(name);
        return [name.endsWith('.internal') ? '10.0.0.5' : '203.0.112.9'];
      };
      return checkUrl(text, { refusal: (host, address) => reach.refusal(host, address), resolve, lookUp });
    },
    caughtUp: async () => others.areHeard,
    spread: async () => {
      others.waits++;
    },
    destinationStatus: () => null,
    inspect: createInspect({
      clock: systemClock,
      timeout: 1000,
      reach: new Reach({ allowPrivate: true, isLocal: false }),
    }),
    processSettings: settingsOf(parseConfig({ env: { MILLRACE_ADMIN_TOKEN: TOKEN } })),
    probesApart: false,
    health,
    metrics: new Metrics(),
  };
  const server = createServer({ logger: createLogger({ level: 'debug', to }), trustProxy: false });
  const routes: Route[] = [];
  server.addHook('onRoute', ({ url, method, config }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    // HEAD is answered as GET is.
    for (const one of [method].flat()) if (one !== 'HEAD') routes.push({ path, method: one, action: config?.action });
  });
  // Checks every answer of every test against the schema of its route.
  server.addHook('preSerialization', async (request, reply, payload) => {
    const promised = request.routeOptions.schema?.response as Record<string, TSchema> | undefined;
    const schema = promised?.[reply.statusCode];
    if (!schema) throw new Error(`${request.method} ${request.url} promises no ${reply.statusCode}`);
    const wrong = Compile(Object.fromEntries(SCHEMAS), schema).Errors(payload);
    if (wrong.length > 0) throw new Error(`${request.url} breaks its promise: ${JSON.stringify(wrong)}`);
    return payload;
  });
  await server.register(adminApi, deps);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const origin = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;

  const send = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(origin + path, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) },
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.includes('json') === true;
    return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
  };
  const raw = (path: string, body: string | Uint8Array, type: string): Promise<Answer> =>
    send(path, { method: 'POST', body, headers: { 'content-type': type } });
  const call: World['call'] = (method, path, body, headers = {}) =>
    send(
      path,
      body
        ? { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
        : { method, headers },
    );
  const source = async (): Promise<contract.Source> =>
    (await call('POST', '/api/sources', { name: 'A source', type: 'server' })).body as unknown as contract.Source;

  return {
    origin,
    settings,
    accounts,
    routes,
    rejections,
    people,
    lookedUp,
    others,
    log: store.log,
    deliveries: store.deliveries,
    stats: store.stats,
    alerts: store.alerts,
    raw,
    call,
    source,
    get: (path: string) => send(path, {}),
    logged: () => lines.join(''),
    ail(reason: string | null) {
      ailment = reason;
    },
    async destination() {
      const { id: sourceId } = await source();
      const made = await call('POST', '/api/destinations', { ...GOOD, name: 'Target', sourceIds: [sourceId] });
      return { id: String(made.body['id']), source: sourceId };
    },
    async accept(sourceId, messageIds, more = {}): Promise<readonly (LogEntry | undefined)[]> {
      await store.log.append(messageIds.map((messageId) => ({ ...event(sourceId, messageId), ...more })));
      return Promise.all(messageIds.map((messageId) => store.log.find(messageId, [sourceId])));
    },
    async woken(): Promise<string | undefined> {
      while (wakes.length === 0) {
        await new Promise<void>((resolve) => {
          onWake = resolve;
        });
      }
      return wakes.shift();
    },
    wrongPaths: ({ body }: Answer) => ((body['errors'] ?? []) as contract.FieldError[]).map(({ path }) => path),
    async close() {
      await server.close();
      await regulations.stop();
      await people.stop();
      await threads.close();
      await replays.stop();
      await store.close();
      await rm(dataDir, { recursive: true });
    },
  };
}

function event(sourceId: string, messageId: string): Event {
  const body = {
    version: 1,
    type: 'track',
    userId: 'u',
    event: 'Order',
    timestamp: '2026-01-01T00:00:00.000Z',
    context: {},
  };
  return {
    sourceId,
    messageId,
    type: 'track',
    name: 'Order',
    userId: 'u',
    receivedAt: Date.now(),
    timestamp: Date.UTC(2026, 0, 1),
    integrations: null,
    unsent: '{"extra":true}',
    body: Buffer.from(JSON.stringify({ ...body, messageId, receivedAt: 'now', originalTimestamp: 'Tuesday' })),
  };
}
