import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import { answerUnknownPath, methodsByPath } from '../http/not-found.ts';
import { sendProblem } from '../http/problem.ts';
import { bearerCheck } from './auth.ts';
import type { AdminDeps } from './deps.ts';
import { openapi } from './openapi.ts';
import { catalogRoutes } from './routes/catalog.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { destinationRoutes } from './routes/destinations.ts';
import { documentRoute } from './routes/document.ts';
import { probeRoutes } from './routes/probes.ts';
import { replayRoutes } from './routes/replays.ts';
import type { AdminApp } from './routes/route.ts';
import { sendingRoutes } from './routes/sending.ts';
import { sourceRoutes } from './routes/sources.ts';
import { SCHEMAS } from './schemas/all.ts';
import { inTurn } from './turns.ts';
import { compileCheck } from './validate.ts';

/**
 * The admin API as a Fastify plugin (decisions 12): everything under /api behind the admin token, and /health and
 * /metrics beside it. Its validation, errors and hooks stay its own, whatever else the server serves. Register it
 * without a prefix: `server.register(adminApi, deps)`.
 */
export async function adminApi(server: FastifyInstance, deps: AdminDeps): Promise<void> {
  const app: AdminApp = server.withTypeProvider<TypeBoxTypeProvider>();
  app.setValidatorCompiler(compileCheck);
  // The contract types every answer; a compiled serialiser would only hide a field that it doesn't know.
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(sendProblem);
  // Only JSON is read: a page of another origin can send text/plain without being asked, JSON it can't.
  app.removeContentTypeParser('text/plain');
  for (const schema of SCHEMAS) app.addSchema(schema);
  await app.register(swagger, openapi);

  probeRoutes(app, deps);
  await app.register(async (api) => guardedRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), deps), {
    prefix: '/api',
  });
}

async function guardedRoutes(api: AdminApp, deps: AdminDeps): Promise<void> {
  const refusal = bearerCheck(deps.token);
  api.addHook('onRequest', async (request, reply) => {
    // Answers hold write keys: no cache may keep them.
    reply.header('cache-control', 'no-store');
    const fault = refusal(request.headers.authorization);
    if (fault === null) return;
    reply.header('www-authenticate', 'Bearer realm="millrace"');
    throw fault;
  });
  // Its own handler, so that a path is told known or unknown only to those who have the token.
  api.setNotFoundHandler(answerUnknownPath(methodsByPath(api)));

  const change = inTurn();
  sourceRoutes(api, deps, change);
  catalogRoutes(api);
  destinationRoutes(api, deps, change);
  sendingRoutes(api, deps);
  deliveryRoutes(api, deps);
  replayRoutes(api, deps);
  documentRoute(api);
}
