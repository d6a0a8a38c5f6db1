import type { AdminDeps } from '../deps.ts';
import { HealthReport } from '../schemas/health.ts';
import { type AdminApp, media, routesOf } from './route.ts';

/**
 * For tools that watch the process. Outside /api and without a token: block them from outside, or give them a port of their own
 * (docs/http-api.md).
 */
export function probeRoutes(app: AdminApp, { health, metrics }: Pick<AdminDeps, 'health' | 'metrics'>): void {
  const routes = routesOf(app, 'Operation');
  const probe = (operationId: 'live' | 'ready', summary: string): void =>
    routes.get(`/health/${operationId}`, {
      ...{ security: [], operationId, summary, exposeHeadRoute: true },
      response: { 200: HealthReport, 503: HealthReport },
      handler: async (_, reply) => {
        const report = await health[operationId]();
        return reply.code(report.status === 'failing' ? 503 : 200).send(report);
      },
    });
  probe('live', 'Is the process working? If not, restart it');
  probe('ready', 'Can it take calls now?');

  routes.get('/metrics', {
    security: [],
    operationId: 'metrics',
    summary: 'Metrics in Prometheus text',
    response: {
      200: media<string>('OK', 'text/plain'),
    },
    handler: async (_, reply) =>
      reply
        .type(metrics.contentType)
        .serializer(String)
        .send(await metrics.render()),
  });
}
