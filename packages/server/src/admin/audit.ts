import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { Attempts } from '../accounts/attempts.ts';
import type { AuditChanges, AuditTarget, NewAuditEntry } from '../accounts/contract.ts';
import type { Destination } from '../core/destination.ts';
import { revisionOf } from '../core/revision.ts';
import { changesOf, destinationFields } from './audited.ts';
import type { AdminDeps } from './deps.ts';
import type { AdminApp } from './routes/route.ts';
import { SCHEMAS } from './schemas/shape.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The target of an audited call, as far as it is known now. */
    auditTarget: AuditTarget | null;
    /** The changes that the call made to its target; null before it is done. */
    auditChanges: AuditChanges | null;
    /** Further changes that the call made, even if it failed in the end. Each gets its own entry. */
    auditBeside: readonly Did[] | null;
  }
}

/** Looks up names of targets, by type. Types without names are absent. */
type Names = Readonly<Record<string, (id: string) => Promise<string | null> | string | null>>;

/** A change that a caller made. `actor`: the identity that a caller without a session claims; absent if the caller is signed in. */
export type Did = Pick<NewAuditEntry, 'action' | 'target' | 'fields'> &
  Partial<Pick<NewAuditEntry, 'actor' | 'changes'>>;

/**
 * Writes an audit entry, durable when this resolves. If it can't be written, the call still succeeds, because the change is
 * already made: the entry is then written to the service's log.
 */
export async function writeAudit(
  { accounts, clock }: Pick<AdminDeps, 'accounts' | 'clock'>,
  request: Pick<FastifyRequest, 'caller' | 'address' | 'log'>,
  did: Did,
): Promise<void> {
  const entry = {
    at: clock.now(),
    actor: request.caller?.actor ?? 'nobody',
    changes: null,
    ...did,
    address: request.address,
  };
  await accounts.audit.audit(entry).catch((error: unknown) => {
    request.log.error({ err: error, entry }, 'an audit entry could not be written');
  });
}

/** More entries than guessers at a few addresses make. An attacker with many addresses would fill the disk with them. */
const REFUSALS = { free: 100, every: 60_000 };

/**
 * Writes audit entries of refused callers, who may be anybody: of all addresses together a hundred in a quarter of an hour,
 * then one a minute. An entry says how many were left out before it. Answers whether it was written.
 */
export function refusalAudit(
  deps: Pick<AdminDeps, 'accounts' | 'clock'>,
  action: string,
): (request: Pick<FastifyRequest, 'caller' | 'address' | 'log'>, actor?: string) => Promise<boolean> {
  const written = new Attempts(deps.clock, REFUSALS);
  let leftOut = 0;
  return async (request, actor) => {
    if (written.take(action) !== null) {
      leftOut++;
      return false;
    }
    const values = leftOut > 0 ? [{ field: 'leftOut', before: null, after: String(leftOut) }] : [];
    leftOut = 0;
    const did = { action, target: null, fields: [], ...(actor !== undefined && { actor }) };
    await writeAudit(deps, request, { ...did, changes: { revision: null, values } });
    return true;
  };
}

/** The destinations that a change of something else has changed, as audit entries of `destination.update`. */
export function changedDestinations(
  before: readonly Destination[],
  settings: Pick<AdminDeps['settings'], 'destination'>,
): Did[] {
  return before.flatMap((was): Did[] => {
    const is = settings.destination(was.id);
    if (!is || revisionOf(is) === revisionOf(was)) return [];
    const changes = changesOf(destinationFields, was, is);
    const target = { type: 'destination', id: is.id, name: is.name };
    return [{ action: 'destination.update', target, fields: changes.values.map(({ field }) => field), changes }];
  });
}

/** Before the answer is sent, writes an audit entry for each successful call with an `action` (routes/route.ts), and for its further changes. */
export function auditChanges(api: AdminApp, deps: AdminDeps): void {
  const { settings, accounts, people } = deps;
  const definitionName = async (id: string): Promise<string | null> =>
    (await people.definitions.list()).find((definition) => definition.id === id)?.name ?? null;
  const names: Names = {
    source: (id) => settings.source(id)?.name ?? null,
    destination: (id) => settings.destination(id)?.name ?? null,
    audience: (id) => definitionName(id),
    trait: (id) => definitionName(id),
    account: async (id) => (await accounts.people.find(id))?.email ?? null,
    invite: async (id) => (await accounts.people.invites()).find((invite) => invite.id === id)?.email ?? null,
    token: async (id) => (await accounts.tokens.list()).find((token) => token.id === id)?.name ?? null,
  };
  api.decorateRequest('auditTarget', null);
  api.decorateRequest('auditChanges', null);
  api.decorateRequest('auditBeside', null);

  // Read the name before the handler: a deleted target has none afterwards.
  api.addHook('preHandler', async (request) => {
    const type = targetType(request);
    const [id] = Object.values(request.params as Record<string, string>);
    if (type === null || id === undefined) return;
    request.auditTarget = { type, id, name: (await names[type]?.(id)) ?? null };
  });

  // The id of a created target is in the answer.
  api.addHook('preSerialization', async (request, _reply, answer: unknown) => {
    const type = targetType(request);
    if (type === null || typeof answer !== 'object' || answer === null) return answer;
    const id = request.auditTarget?.id ?? text(answer, 'id');
    if (id !== null) {
      const name = text(answer, 'name') ?? text(answer, 'email') ?? request.auditTarget?.name ?? null;
      request.auditTarget = { type, id, name };
    }
    return answer;
  });

  api.addHook('onSend', async (request, reply, payload) => {
    const action = actionOf(request);
    if (action === null) return payload;
    if (reply.statusCode < 300) {
      const schema = request.routeOptions.schema?.body as TSchema | undefined;
      // A body that was refused is not examined.
      const fields = targetType(request) === null ? [] : fieldsOf(request.body, schema);
      await writeAudit(deps, request, { action, target: request.auditTarget, fields, changes: request.auditChanges });
    }
    for (const did of request.auditBeside ?? []) await writeAudit(deps, request, did);
    return payload;
  });
}

/** Null if the call is not audited. */
function actionOf({ routeOptions, body }: FastifyRequest): string | null {
  const { action, reads } = routeOptions.config;
  return reads?.(body) ? null : (action ?? null);
}

/** Null for calls without a target: sessions, and suppressions and persons, whose ids are user ids, which the audit log must not contain. */
function targetType(request: FastifyRequest): string | null {
  const type = actionOf(request)?.split('.', 1)[0] ?? null;
  return type !== null && ['session', 'suppression', 'person'].includes(type) ? null : type;
}

/** Names of the fields in a body, in the order of the contract; fields of `settings` one by one. Their values are in `auditChanges`. */
export function fieldsOf(body: unknown, schema: TSchema | undefined): string[] {
  if (typeof body !== 'object' || body === null) return [];
  const order = Object.keys(resolved(schema)?.properties ?? {});
  const given = Object.keys(body).sort((a, b) => order.indexOf(a) - order.indexOf(b));
  return given.flatMap((field) => {
    const value: unknown = Reflect.get(body, field);
    if (field !== 'settings' || typeof value !== 'object' || value === null) return [field];
    return Object.keys(value).map((inner) => `settings.${inner}`);
  });
}

function resolved(schema: TSchema | undefined): { readonly properties?: object } | undefined {
  const name = schema && '$ref' in schema ? String(schema.$ref) : null;
  return name === null ? schema : SCHEMAS.get(name);
}

function text(answer: object, field: string): string | null {
  const value: unknown = Reflect.get(answer, field);
  return typeof value === 'string' ? value : null;
}
