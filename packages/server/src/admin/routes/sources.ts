import { Fault } from '../../core/fault.ts';
import type { Source } from '../../core/source.ts';
import { pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { newId, newWriteKey } from '../ids.ts';
import { pageOf, pageQuery } from '../schemas/page.ts';
import { ref } from '../schemas/shape.ts';
import * as schemas from '../schemas/source.ts';
import type { InTurn } from '../turns.ts';
import { iso, rejectionView } from '../views.ts';
import { type AdminApp, found, idParams, nothing, refusals } from './route.ts';

const tags = ['Sources'];

/** Sources: where calls come from, each with its write key. */
export function sourceRoutes(app: AdminApp, deps: AdminDeps, change: InTurn): void {
  const { settings, log, rejections, clock } = deps;
  const one = (id: string): Source => found(settings.source(id), `source ${id}`);

  app.post(
    '/sources',
    {
      schema: {
        operationId: 'createSource',
        summary: 'Create a source',
        tags,
        body: ref(schemas.NewSource),
        response: { 201: ref(schemas.Source), ...refusals(400, 409, 503) },
      },
    },
    (request, reply) =>
      change(async () => {
        const { name, type, enabled = true, writeKey = newWriteKey() } = request.body;
        if (settings.sourceByWriteKey(writeKey)) throw new Fault('conflict', 'Another source has this write key');
        const source = { id: newId('src'), name, type, writeKey, enabled, createdAt: iso(clock.now()) };
        await settings.putSource(source);
        return reply.code(201).header('location', `/api/sources/${source.id}`).send(source);
      }),
  );

  app.get(
    '/sources',
    {
      schema: {
        operationId: 'listSources',
        summary: 'List sources, oldest first',
        tags,
        querystring: pageQuery,
        response: { 200: pageOf(schemas.Source), ...refusals(400) },
      },
    },
    async (request) => pageOfAll(settings.sources(), ({ createdAt, id }) => `${createdAt} ${id}`, request.query),
  );

  app.get(
    '/sources/:id',
    {
      schema: {
        operationId: 'getSource',
        summary: 'Get a source',
        tags,
        params: idParams,
        response: { 200: ref(schemas.Source), ...refusals(404) },
      },
    },
    async (request) => one(request.params.id),
  );

  app.patch(
    '/sources/:id',
    {
      schema: {
        operationId: 'updateSource',
        summary: 'Change a source',
        tags,
        params: idParams,
        body: ref(schemas.SourceChange),
        response: { 200: ref(schemas.Source), ...refusals(400, 404, 503) },
      },
    },
    (request) =>
      change(async () => {
        const source: Source = { ...one(request.params.id), ...request.body };
        await settings.putSource(source);
        return source;
      }),
  );

  app.delete(
    '/sources/:id',
    {
      schema: {
        operationId: 'deleteSource',
        summary: 'Delete a source',
        description: 'Its write key is refused from now on, and it leaves every destination. What it sent stays.',
        tags,
        params: idParams,
        response: { 204: nothing, ...refusals(404, 503) },
      },
    },
    (request, reply) =>
      change(async () => {
        await settings.deleteSource(one(request.params.id).id);
        return reply.code(204).send(null);
      }),
  );

  app.post(
    '/sources/:id/rotate-key',
    {
      schema: {
        operationId: 'rotateWriteKey',
        summary: 'Give a source a new write key',
        description: 'The old key is refused from now on.',
        tags,
        params: idParams,
        response: { 200: ref(schemas.Source), ...refusals(404, 503) },
      },
    },
    (request) =>
      change(async () => {
        const source: Source = { ...one(request.params.id), writeKey: newWriteKey() };
        await settings.putSource(source);
        return source;
      }),
  );

  app.get(
    '/sources/:id/totals',
    {
      schema: {
        operationId: 'getSourceTotals',
        summary: 'How many calls a source sent',
        tags,
        params: idParams,
        response: { 200: ref(schemas.SourceTotals), ...refusals(404, 503) },
      },
    },
    async (request) => {
      const { id } = one(request.params.id);
      const { accepted, duplicates } = (await log.totals()).get(id) ?? { accepted: 0, duplicates: 0 };
      return { accepted, duplicates, rejected: rejections.count(id) };
    },
  );

  app.get(
    '/sources/:id/rejections',
    {
      schema: {
        operationId: 'listRejections',
        summary: 'The last calls of a source that were refused, newest first',
        tags,
        params: idParams,
        response: { 200: pageOf(schemas.Rejection), ...refusals(404) },
      },
    },
    async (request) => ({ items: rejections.recent(one(request.params.id).id).map(rejectionView), next: null }),
  );
}
