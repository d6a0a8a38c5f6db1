import cookie from '@fastify/cookie';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import pLimit from 'p-limit';
import { Fault } from '../core/fault.ts';
import { packAnswer } from '../http/compress.ts';
import { answerUnknownPath, methodsByPath } from '../http/not-found.ts';
import { sendProblem } from '../http/problem.ts';
import { auditChanges } from './audit.ts';
import { boundBodies } from './body-bounds.ts';
import type { AdminDeps } from './deps.ts';
import { guard } from './guard.ts';
import { openapi } from './openapi.ts';
import { accountRoutes } from './routes/accounts.ts';
import { alertRoutes } from './routes/alerts.ts';
import { audienceRoutes } from './routes/audiences.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { destinationRoutes } from './routes/destinations.ts';
import { operationRoutes } from './routes/operation.ts';
import { peopleRoutes } from './routes/people.ts';
import { probeRoutes } from './routes/probes.ts';
import { regulationRoutes } from './routes/regulations.ts';
import { replayRoutes } from './routes/replays.ts';
import { type AdminApp, refuseUndeclaredQueries } from './routes/route.ts';
import { searchRoute } from './routes/search.ts';
import { sendingRoutes } from './routes/sending.ts';
import { sessionRoutes } from './routes/session.ts';
import { settingsFileRoutes } from './routes/settings-file.ts';
import { setupRoutes } from './routes/setup.ts';
import { sourceRoutes } from './routes/sources.ts';
import { statsRoutes } from './routes/stats.ts';
import { streamRoutes } from './routes/streams.ts';
import { SCHEMAS } from './schemas/shape.ts';
import { compileCheck } from './validate.ts';
import { versions } from './versions.ts';

/**
 * The admin API as a Fastify plugin (contract 12): everything under /api, behind a sign-in. Also /health and /metrics, unless
 * they have a port of their own. Its validation, error handling and hooks do not affect other routes of the server. Register it
 * without a prefix: `server.register(adminApi, deps)`.
 */
export async function adminApi(server: FastifyInstance, deps: AdminDeps): Promise<void> {
  const app = described(server);
  boundBodies(app);
  await app.register(swagger, openapi);

  if (!deps.probesApart) probeRoutes(app, deps);
  await app.register(async (api) => guardedRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), deps), {
    prefix: '/api',
  });
}

/** Only /health and /metrics, for a port of their own. */
export async function probes(server: FastifyInstance, deps: Pick<AdminDeps, 'health' | 'metrics'>): Promise<void> {
  probeRoutes(described(server), deps);
}

/** The server, typed for routes with schemas. */
function described(server: FastifyInstance): AdminApp {
  const app: AdminApp = server.withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(compileCheck);
  // Answers are typed by the contract. A compiled serialiser would only drop fields that it does not know.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  for (const schema of SCHEMAS.values()) app.addSchema(schema);
  return app;
}

const NOT_HEARD = 'The database does not answer, and other nodes may have changed what is asked for. Try again.';
const RETRY_AFTER_S = 5;

/** Actions that change how calls are treated. */
const CHANGES = /^(source|destination|audience|trait|settings|regulation|suppression)\./;

async function guardedRoutes(api: AdminApp, deps: AdminDeps): Promise<void> {
  await api.register(cookie);
  api.handlers.watch(api as unknown as FastifyInstance);
  guard(api, deps);
  // So that this node knows the changes that another node has already answered.
  api.addHook('onRequest', async () => {
    if (!(await deps.caughtUp())) throw new Fault('storage_unavailable', NOT_HEARD, { retryAfter: RETRY_AFTER_S });
  });
  auditChanges(api, deps);
  // One rule for the names of all things.
  api.addHook('preValidation', async ({ body }) => {
    const name: unknown = Reflect.get(Object(body), 'name');
    if (typeof name === 'string') Reflect.set(Object(body), 'name', name.trim());
  });
  // So that each node treats calls accepted after this answer by the change (contract 9).
  // A refused request has changed nothing; one that failed may have.
  api.addHook('onSend', async ({ routeOptions }, { statusCode }, payload) => {
    const isRefused = statusCode >= 400 && statusCode < 500;
    if (!isRefused && CHANGES.test(routeOptions.config.action ?? '')) await deps.spread();
    return payload;
  });
  versions(api, deps);
  refuseUndeclaredQueries(api);
  api.addHook('onSend', packAnswer);
  // Its own handler, behind the sign-in: only callers may learn which paths exist.
  api.setNotFoundHandler(answerUnknownPath(methodsByPath(api)));

  const change = pLimit(1);
  streamRoutes(api, deps);
  sourceRoutes(api, deps, change);
  destinationRoutes(api, deps, change);
  setupRoutes(api, deps);
  sendingRoutes(api, deps);
  searchRoute(api, deps);
  deliveryRoutes(api, deps);
  replayRoutes(api, deps);
  regulationRoutes(api, deps);
  alertRoutes(api, deps, change);
  audienceRoutes(api, deps, change);
  peopleRoutes(api, deps);
  statsRoutes(api, deps);
  sessionRoutes(api, deps);
  accountRoutes(api, deps);
  settingsFileRoutes(api, deps, change);
  operationRoutes(api, deps);
}
