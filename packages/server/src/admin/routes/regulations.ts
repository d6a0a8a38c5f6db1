import type { Readable } from 'node:stream';
import Type from 'typebox';
import { Fault } from '../../core/fault.ts';
import { iso } from '../../core/instant.ts';
import type { Notice, Regulation, Subject, Suppression } from '../../regulations/contract.ts';
import { countsOf, isRefused } from '../../regulations/notice.ts';
import type { Reach } from '../../regulations/reach.ts';
import { asked } from '../audited.ts';
import type * as contract from '../contract.ts';
import { newestFirst, pageOfAll, pageOfMany, placeIn, sealNext, textKey } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { fileSender } from '../download.ts';
import { invalidInput } from '../input.ts';
import { DEFAULT_LIMIT, pageOf, pageQuery } from '../schemas/page.ts';
import * as schemas from '../schemas/regulation.ts';
import { object, placed, type SchemaOf } from '../schemas/shape.ts';
import { picked, times } from '../views.ts';
import { type AdminApp, accepted, found, isDryRun, nothing, refusals, routesOf } from './route.ts';

const reportFile: SchemaOf<Readable> = Type.Unsafe<Readable>({
  description: 'The file',
  content: { 'application/json': { schema: placed(schemas.RegulationReport) } },
});

const userParams = object({ userId: schemas.userId });

/** Deletion requests (contract 10.1), and suppressed users. */
export function regulationRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Regulations');
  const { regulations, suppressions, compaction, clock, isPlaceholderId } = deps;
  const sendFile = fileSender(app, deps);

  routes.post('/regulations', {
    action: 'regulation.create',
    reads: isDryRun,
    operationId: 'createRegulation',
    summary: 'Delete what is stored about users',
    description:
      'Removes the events of these users that were accepted until now, with everything that was recorded of them, and ' +
      'sends one delete message per user and source that has seen the user and has a destination that is on. ' +
      '`SUPPRESS_WITH_DELETE` also refuses their calls from now on. It is durable when it is answered, and runs on. ' +
      'With `dryRun` nothing is done: 200 with the persons, ids, events and sources that it would reach.',
    body: schemas.NewRegulation,
    response: { 200: schemas.RegulationReach, 201: schemas.Regulation, ...refusals() },
    handler: async (request, reply) => {
      const { body } = request;
      const placeholders = body.subjectIds.flatMap((id, place) =>
        isPlaceholderId(id)
          ? [{ path: `subjectIds.${place}`, message: `${id} is no id: many callers send it in the place of one` }]
          : [],
      );
      if (placeholders.length > 0) throw invalidInput(placeholders);
      if (isDryRun(body)) return reply.code(200).send(reachView(await regulations.reach(body.subjectIds)));
      const regulation = await regulations.create(body.regulationType, body.subjectIds);
      request.auditChanges = asked(picked(regulation, 'regulationType', 'users'));
      return reply.code(201).header('location', `/api/regulations/${regulation.id}`).send(regulationView(regulation));
    },
  });

  routes.post('/regulations/compact', {
    action: 'regulation.compact',
    operationId: 'compactRegulations',
    summary: 'Take the bytes of what regulations removed out of all files now',
    description:
      'Once for all of them, as every night (`MILLRACE_COMPACTION`). Nothing reads these bytes since the deletion. It is durable when it is ' +
      'answered, and runs on: `compactedAt` of each regulation says when it was done.',
    response: { 202: accepted, ...refusals() },
    handler: async () => {
      await compaction.ask();
      return null;
    },
  });

  routes.get('/regulations', {
    operationId: 'listRegulations',
    summary: 'List regulations, newest first',
    querystring: pageQuery,
    response: { 200: pageOf(schemas.Regulation), ...refusals() },
    handler: async ({ query }) => pageOfAll(await regulations.list(), newestFirst, query, regulationView),
  });

  routes.get('/regulations/:id', {
    operationId: 'getRegulation',
    summary: 'How far a regulation is, with the receipts of each user and source',
    description:
      '`subjects` is a page of its users, in the order of the request: `cursor` and `limit` ask for others, ' +
      '`notice` for those with a delete message of that state; `failed` also for those with one that a destination has refused and ' +
      'another has not taken yet.',
    querystring: schemas.subjectsQuery,
    response: { 200: schemas.RegulationDetails, ...refusals(404) },
    handler: async ({ params: { id }, query }) => {
      const regulation = found(await regulations.get(id), `regulation ${id}`);
      return { ...regulationView(regulation), ...(await subjectsPage(regulations, regulation, query)) };
    },
  });

  routes.get('/regulations/:id/report', {
    operationId: 'getRegulationReport',
    summary: 'The whole of a regulation as evidence, to be downloaded',
    description:
      'What was deleted where, and every request of every delete message with its time and status, while they are read. ' +
      'An answer that breaks off is not complete. At most 10 at once, 2 of them of one caller.',
    response: { 200: reportFile, ...refusals(404) },
    handler: async (request, reply) => {
      const { id } = request.params;
      const regulation = found(await regulations.get(id), `regulation ${id}`);
      const head = { type: 'application/json; charset=utf-8', name: `${id}.json` };
      return sendFile(request, reply, head, reportOf(regulations, regulation, clock.now()));
    },
  });

  routes.delete('/regulations/:id', {
    action: 'regulation.delete',
    operationId: 'deleteRegulation',
    summary: 'Delete a finished regulation, and with it the last that is known of its users',
    description: 'One that runs is refused with 409. Suppressions stay.',
    response: { 204: nothing, ...refusals(404, 409) },
    handler: async ({ params: { id } }) => {
      found(await regulations.get(id), `regulation ${id}`);
      await regulations.delete(id);
    },
  });

  routes.get('/suppressions', {
    operationId: 'listSuppressions',
    summary: 'List suppressed users, by user id',
    querystring: schemas.suppressionsQuery,
    response: { 200: pageOf(schemas.Suppression), ...refusals() },
    handler: async ({ query: { prefix = '', ...query } }) => {
      const fits = ({ userId }: Suppression): boolean => userId.startsWith(prefix);
      return pageOfMany(suppressions.list(), fits, ({ userId }) => textKey(userId), query, suppressionView);
    },
  });

  routes.delete('/suppressions/:userId', {
    action: 'suppression.lift',
    operationId: 'liftSuppression',
    summary: "Take a user's calls again",
    params: userParams,
    response: { 204: nothing, ...refusals(404) },
    handler: async ({ params }) => {
      found((await suppressions.lift(params.userId)) || null, 'suppression of this user');
    },
  });
}

/** The `RegulationReport`, sent in parts while it is read: a user may have weeks of attempts. */
async function* reportOf(
  regulations: AdminDeps['regulations'],
  regulation: Regulation,
  now: number,
): AsyncIterable<string> {
  const head = { generatedAt: iso(now), regulation: regulationView(regulation) };
  yield `${JSON.stringify(head).slice(0, -1)},"subjects":[`;
  for (let from = 0; from < regulation.users; from += REPORT_PAGE) {
    const page = await regulations.subjects(regulation.id, from, REPORT_PAGE);
    if (page.length === 0) throw new Fault('conflict', 'The regulation was deleted while its report was read.');
    yield page.map((subject) => `${subject.place === 0 ? '' : ','}${JSON.stringify(subjectView(subject))}`).join('');
  }
  yield ']}';
}

const REPORT_PAGE = 20;

/** Users read at a time in a search for notices of a state. */
const PIECE = 500;

async function subjectsPage(
  regulations: AdminDeps['regulations'],
  { id, users }: Regulation,
  { cursor, limit = DEFAULT_LIMIT, notice }: schemas.SubjectsQuery,
): Promise<Pick<contract.RegulationDetails, 'subjects' | 'next'>> {
  const fits = (one: Notice): boolean => one.state === notice || (notice === 'failed' && isRefused(one));
  const subjects: Subject[] = [];
  let from = placeIn(cursor);
  while (subjects.length < limit && from < users) {
    const piece = await regulations.subjects(id, from, notice === undefined ? limit : PIECE);
    const fitting = piece.filter(
      ({ sources }) => notice === undefined || sources.some((source) => source.notice && fits(source.notice)),
    );
    subjects.push(...fitting.slice(0, limit - subjects.length));
    const last = subjects.length === limit ? subjects.at(-1) : piece.at(-1);
    from = last === undefined ? users : last.place + 1;
  }
  return { subjects: subjects.map(subjectView), next: sealNext(from < users ? from : null) };
}

function regulationView(from: Regulation): contract.Regulation {
  const { step, finishedAt, erasedAt = null, compactedAt = finishedAt, ids = null, events } = from;
  return {
    ...picked(from, 'id', 'regulationType', 'step', 'users'),
    subjectType: 'USER_ID',
    status: step === 'finished' ? 'finished' : 'running',
    ...times({ ...from, erasedAt, compactedAt }, 'createdAt', 'erasedAt', 'compactedAt', 'finishedAt'),
    ids,
    events: { found: events.found, removed: events.erased },
    notices: countsOf(from.notices),
  };
}

/** The most unknown ids in an answer. */
const MOST_UNKNOWN = 20;

function reachView(from: Reach): contract.RegulationReach {
  const { events, complete, unknown } = from;
  return {
    ...picked(from, 'persons', 'ids', 'others'),
    events: { found: events, complete },
    unknown: unknown && { count: unknown.length, first: unknown.slice(0, MOST_UNKNOWN) },
    sources: [...from.sources].map(([sourceId, found]) => ({ sourceId, events: found })),
  };
}

function subjectView({ userId, sources }: Subject): contract.RegulationSubject {
  return {
    userId,
    sources: sources.map(({ notice, ...found }) => ({ ...found, notice: notice && noticeView(notice) })),
  };
}

function suppressionView(from: Suppression): contract.Suppression {
  return { userId: from.userId, ...times(from, 'since') };
}

function noticeView(from: Notice): contract.RegulationSubject['sources'][0]['notice'] {
  return {
    ...picked(from, 'messageId', 'state'),
    receipts: from.receipts.map((receipt) => ({
      ...receipt,
      ...times(receipt, 'at'),
      attempts: receipt.attempts.map((attempt) => ({ ...attempt, ...times(attempt, 'at') })),
    })),
  };
}
