import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { LimitFunction } from 'p-limit';
import { Fault } from '../../core/fault.ts';
import { iso } from '../../core/instant.ts';
import { nameAndId } from '../../core/named.ts';
import { groupId, MOST_GROUPS_READ, type RejectionGroup } from '../../core/rejection.ts';
import { isTaken, type Source } from '../../core/source.ts';
import { KEY_TAKEN } from '../../settings/settings.ts';
import { changedDestinations } from '../audit.ts';
import { changesOf, sourceFields } from '../audited.ts';
import { callerOf, questionsOf } from '../caller.ts';
import { newestFirst, oldestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { newWriteKey } from '../ids.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { nullable } from '../schemas/shape.ts';
import * as schemas from '../schemas/source.ts';
import { changedSource, checkSource, newSource } from '../source-input.ts';
import { expectedBy } from '../versions.ts';
import { rejectionGroupView, rejectionView, sourceView } from '../views.ts';
import { type AdminApp, found, ifMatch, nothing, refusals, routesOf } from './route.ts';

const HOUR = 60 * 60 * 1000;

/** The most counted ids without a person. */
const MOST_COUNTED = 10_000;

/** Sources: where calls come from. Each has a write key. */
export function sourceRoutes(app: AdminApp, deps: AdminDeps, change: LimitFunction): void {
  const routes = routesOf(app, 'Sources');
  const { settings, log, rejections, rejectionGroups, clock } = deps;
  const one = (id: string): Source => found(settings.source(id), `source ${id}`);
  const changeable = (source: Source): Source => {
    if (source.sentBy === undefined) return source;
    const kind = source.sentBy.startsWith('aud_') ? 'audience' : 'computed trait';
    const owner = nameAndId({ id: source.sentBy, name: source.name });
    throw new Fault('conflict', `The ${kind} ${owner} sends under source ${source.id}: change or delete that instead`);
  };

  const changed = async (
    request: FastifyRequest<{ Params: { id: string } }>,
    next: (now: Source) => Source,
  ): Promise<Source> => {
    const changed = (now: Source): Source => next(changeable(now));
    const { before, after } = await settings.changeSource(request.params.id, changed, expectedBy(request));
    request.auditChanges = changesOf(sourceFields, before, after);
    return after;
  };

  routes.post('/sources', {
    action: 'source.create',
    operationId: 'createSource',
    summary: 'Create a source',
    body: schemas.NewSource,
    response: { 201: schemas.Source, ...refusals(409) },
    handler: (request, reply) =>
      change(async () => {
        checkSource(request.body);
        const source = newSource(request.body, iso(clock.now()));
        if (settings.sourceByWriteKey(source.writeKey)) throw new Fault('conflict', KEY_TAKEN);
        await settings.putSource(source);
        request.auditChanges = changesOf(sourceFields, null, source);
        return reply.header('location', `/api/sources/${source.id}`).send(sourceView(source, 'admin', clock.now()));
      }),
  });

  routes.get('/sources', {
    role: 'observer',
    operationId: 'listSources',
    summary: 'List sources, oldest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.Source), ...refusals() },
    handler: async (request) => {
      const { role } = callerOf(request);
      return pageOfAll(settings.sources(), oldestFirst, request.query, (one) => sourceView(one, role, clock.now()));
    },
  });

  routes.get('/sources/:id', {
    role: 'observer',
    operationId: 'getSource',
    summary: 'Get a source',
    response: { 200: schemas.Source, ...refusals(404) },
    handler: async (request) => sourceView(one(request.params.id), callerOf(request).role, clock.now()),
  });

  routes.patch('/sources/:id', {
    action: 'source.update',
    operationId: 'updateSource',
    summary: 'Change a source',
    headers: ifMatch,
    body: schemas.SourceChange,
    response: { 200: schemas.Source, ...refusals(404, 409, 412) },
    handler: (request) =>
      change(async () => {
        checkSource(request.body);
        const source = await changed(request, (now) => changedSource(now, request.body));
        return sourceView(source, 'admin', clock.now());
      }),
  });

  routes.delete('/sources/:id', {
    action: 'source.delete',
    operationId: 'deleteSource',
    summary: 'Delete a source',
    description: 'Its write key is refused from now on, and it leaves every destination. What it sent stays.',
    headers: ifMatch,
    response: { 204: nothing, ...refusals(404, 409, 412) },
    handler: (request) =>
      change(async () => {
        const source = changeable(one(request.params.id));
        const destinations = settings.destinations();
        await settings.deleteSource(source.id, expectedBy(request));
        request.auditChanges = changesOf(sourceFields, source, null);
        request.auditBeside = changedDestinations(destinations, settings);
      }),
  });

  routes.post('/sources/:id/rotate-key', {
    action: 'source.rotate_key',
    operationId: 'rotateWriteKey',
    summary: 'Give a source a new write key',
    description:
      'The old key is refused from now on, or after `overlapHours`. There is one old key at most: a rotation while an ' +
      'older one is still taken ends that one.',
    headers: ifMatch,
    body: nullable(schemas.KeyRotation),
    response: { 200: schemas.Source, ...refusals(404, 409, 412) },
    handler: (request) =>
      change(async () => {
        const now = clock.now();
        const overlap = (request.body?.overlapHours ?? 0) * HOUR;
        const source = await changed(request, (old) => {
          const oldKey = overlap === 0 ? null : { writeKey: old.writeKey, until: iso(now + overlap) };
          return { ...old, writeKey: newWriteKey(), oldKey };
        });
        return sourceView(source, 'admin', now);
      }),
  });

  routes.delete('/sources/:id/old-key', {
    action: 'source.end_old_key',
    operationId: 'endOldWriteKey',
    summary: 'Refuse the write key before the last rotation from now on',
    headers: ifMatch,
    response: { 204: nothing, ...refusals(404, 409, 412) },
    handler: (request) =>
      change(async () => {
        await changed(request, (source) => {
          const isThere = source.oldKey !== null && isTaken(source.oldKey, clock.now());
          if (!isThere) throw new Fault('not_found', `Source ${source.id} has no old write key that is still taken`);
          return { ...source, oldKey: null };
        });
      }),
  });

  routes.get('/sources/:id/totals', {
    role: 'observer',
    operationId: 'getSourceTotals',
    summary: 'How many calls a source sent',
    response: { 200: schemas.SourceTotals, ...refusals(404) },
    handler: async (request) => {
      const { id } = one(request.params.id);
      const { accepted, duplicates } = (await log.totals()).get(id) ?? { accepted: 0, duplicates: 0 };
      const notJoined = await questionsOf(deps, request).countUnjoined(id, MOST_COUNTED);
      return { accepted, duplicates, rejected: rejections.count(id), notJoined };
    },
  });

  routes.get('/sources/:id/rejections', {
    operationId: 'listRejections',
    summary: 'The last calls of a source that were refused, newest first',
    querystring: schemas.rejectionsQuery,
    response: { 200: pageOf(schemas.Rejection), ...refusals(404) },
    handler: async (request) => {
      const last = rejections.recent(one(request.params.id).id).slice(0, request.query.limit);
      return { items: last.map(rejectionView), next: null };
    },
  });

  routes.get('/rejections', {
    operationId: 'listRejectionGroups',
    summary: 'Refused calls by what is alike, the one seen last first',
    description:
      'Of one source, or of all and of write keys that name none. Kept over restarts, for as long as events after they were ' +
      'last seen: at most 100 of a source, and 100 of unknown keys. Of all sources the 1,000 that were seen last.',
    querystring: schemas.rejectionGroupsQuery,
    response: { 200: pageOf(schemas.RejectionGroup), ...refusals(404) },
    handler: async ({ query }) => {
      const { sourceId } = query;
      const groups = await rejectionGroups.list(sourceId === undefined ? null : one(sourceId).id, MOST_GROUPS_READ);
      const known = groups.filter((group) => group.sourceId === null || settings.source(group.sourceId) !== undefined);
      return pageOfAll(known, lastSeenFirst, query, rejectionGroupView);
    },
  });
}

/** The sort key is a hash, because a group's id contains the message, which may be longer than a cursor. */
function lastSeenFirst(group: RejectionGroup): string {
  return newestFirst({ createdAt: group.lastAt, id: hash('sha256', groupId(group), 'base64url') });
}
