import { retryPolicy } from '../../deliver/policy.ts';
import { firstRounds } from '../../deliver/schedule.ts';
import type { AdminDeps } from '../deps.ts';
import { invalidInput } from '../input.ts';
import { windowErrors } from '../options-input.ts';
import { RetrySchedule, scheduleQuery } from '../schemas/retry-schedule.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** Rounds that are listed, the first among them. */
const LISTED = 12;

/** When a message is tried again, before a policy is saved. */
export function scheduleRoute(app: AdminApp, { retry, retention }: Pick<AdminDeps, 'retry' | 'retention'>): void {
  const routes = routesOf(app, 'Destinations');
  routes.get('/retry-schedule', {
    role: 'observer',
    operationId: 'getRetrySchedule',
    summary: 'When a message that no URL takes is tried again, under a retry window',
    querystring: scheduleQuery,
    response: { 200: ref(RetrySchedule), ...refusals() },
    handler: async ({ query }) => {
      const errors = windowErrors('retryWindow', query.retryWindow, retention);
      if (errors.length > 0) throw invalidInput(errors);
      const policy = retryPolicy(query, retry);
      const rounds = firstRounds(policy, LISTED);
      return { ...policy, rounds, more: (rounds.at(-1)?.sinceFirstAtLeast ?? 0) < policy.window };
    },
  });
}
