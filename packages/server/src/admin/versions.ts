import type { FastifyRequest } from 'fastify';
import { Fault } from '../core/fault.ts';
import { sendProblem } from '../http/problem.ts';
import { auditView } from './account-views.ts';
import type { AdminDeps } from './deps.ts';
import { refuse } from './input.ts';
import type { AdminApp } from './routes/route.ts';

/** The most changes in a refusal. */
const MOST_CHANGES = 20;

/**
 * Sets the `ETag` of answers with a revision. Refuses a change that is based on an older revision, with the changes since then,
 * as far as the audit log has them: a change has its entry only when its own call is answered.
 */
export function versions(api: AdminApp, { accounts }: Pick<AdminDeps, 'accounts'>): void {
  api.addHook('preSerialization', async (_request, reply, answer: unknown) => {
    const revision: unknown = Reflect.get(Object(answer), 'revision');
    if (typeof revision === 'number' || typeof revision === 'string') reply.header('etag', `"${revision}"`);
    return answer;
  });
  api.setErrorHandler(async (error, request, reply) => {
    if (!(error instanceof Fault) || error.code !== 'changed_meanwhile') return sendProblem(error, request, reply);
    const { id: targetId = null } = request.params as { id?: string };
    const known = Math.max(0, ...[...(tagsOf(request) ?? [])].map(Number).filter(Number.isSafeInteger));
    // Settings that exist only once have no id: find their changes by action.
    const action = targetId === null ? (request.routeOptions.config.action ?? null) : null;
    const query = { actor: null, action, targetId, from: null, to: null, cursor: null, limit: MOST_CHANGES };
    const { items } = await accounts.audit.auditEntries(query);
    const changes = items.filter((entry) => (entry.changes?.revision ?? 0) > known).map(auditView);
    return sendProblem(error, request, reply, { changes });
  });
}

/** The condition of `If-Match` (RFC 9110, 13.1.1); undefined without the header. Weak tags count as strong: a revision has one representation. */
export function expectedBy(request: FastifyRequest): ((revision: number | string) => boolean) | undefined {
  const tags = tagsOf(request);
  if (tags === null) return undefined;
  return tags === '*' ? () => true : (revision) => tags.includes(String(revision));
}

/** The contents of the tags, or `*` for any; null without the header. @throws InvalidInput */
function tagsOf({ headers }: FastifyRequest): readonly string[] | '*' | null {
  const header = headers['if-match'];
  if (header === undefined) return null;
  if (header.trim() === '*') return '*';
  const tags = [...header.matchAll(TAG)].map(([, tag = '']) => tag);
  const isList = tags.length > 0 && header.replace(TAG, '').replace(/[\s,]/g, '') === '';
  return isList ? tags : refuse('If-Match', 'must be * or a list of entity tags in double quotes');
}

const TAG = /(?:W\/)?"([^"]*)"/g;
