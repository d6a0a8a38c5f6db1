import Type from 'typebox';
import type { AdminDeps } from '../deps.ts';
import { HealthReport } from '../schemas/health.ts';
import { ref } from '../schemas/shape.ts';
import type { AdminApp } from './route.ts';

const tags = ['Operation'];
const open = { tags, security: [] };

/** For what watches the process. Outside /api and without a token: keep them inside, or on a port of their own (docs/http-api.md). */
export function probeRoutes(app: AdminApp, { health, metrics }: Pick<AdminDeps, 'health' | 'metrics'>): void {
  const answers = { 200: ref(HealthReport), 503: ref(HealthReport) };

  app.get(
    '/health/live',
    {
      schema: {
        ...open,
        operationId: 'live',
        summary: 'Is the process working? If not, restart it',
        response: answers,
      },
    },
    async (_, reply) => {
      const report = await health.live();
      return reply.code(report.status === 'failing' ? 503 : 200).send(report);
    },
  );

  app.get(
    '/health/ready',
    { schema: { ...open, operationId: 'ready', summary: 'Can it take calls now?', response: answers } },
    async (_, reply) => {
      const report = await health.ready();
      return reply.code(report.status === 'failing' ? 503 : 200).send(report);
    },
  );

  app.get(
    '/metrics',
    {
      schema: {
        ...open,
        operationId: 'metrics',
        summary: 'Metrics in Prometheus text',
        response: {
          200: Type.Unsafe<string>({ description: 'OK', content: { 'text/plain': { schema: Type.String() } } }),
        },
      },
    },
    async (_, reply) =>
      reply
        .type(metrics.contentType)
        .serializer(String)
        .send(await metrics.render()),
  );
}
