import { Fault } from '../../core/fault.ts';
import type { AdminDeps } from '../deps.ts';
import { Loopback } from '../schemas/health.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** Whether webhooks may go to the machine that the service runs on. */
export function loopbackRoutes(app: AdminApp, { settings, reach, allowLoopback }: AdminDeps): void {
  const routes = routesOf(app, 'Operation');
  const view = (): Loopback => ({
    allowed: reach.allowsLoopback,
    canBeAllowed: reach.canAllowLoopback,
    held: settings.destinations().filter((destination) => reach.holds(destination)).length,
  });

  routes.get('/loopback', {
    role: 'observer',
    operationId: 'getLoopback',
    summary: "Whether webhooks may go to this machine's own addresses",
    response: { 200: ref(Loopback), ...refusals() },
    handler: async () => view(),
  });

  routes.post('/loopback/allow', {
    action: 'loopback.allow',
    operationId: 'allowLoopback',
    summary: "Let webhooks go to this machine's own addresses until the process ends",
    description:
      'For a trial on one machine: only a service that is itself bound to loopback can be allowed (409 otherwise). After a ' +
      'restart destinations of this machine hold their events until it is allowed again; no retry window runs meanwhile.',
    response: { 200: ref(Loopback), ...refusals(409) },
    handler: async () => {
      if (allowLoopback()) return view();
      throw new Fault(
        'conflict',
        reach.allowsLoopback
          ? 'MILLRACE_ALLOW_PRIVATE_URLS allows all addresses already.'
          : 'This service is reached from other machines (MILLRACE_HOST), or is a node of a cluster: only MILLRACE_ALLOW_PRIVATE_URLS=true lets webhooks go to this one.',
      );
    },
  });
}
