import { hasUrl } from '../../core/destination.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import { Fault } from '../../core/fault.ts';
import { nearestName } from '../../core/near-name.ts';
import { causeOf, ENDS } from '../../deliver/causes.ts';
import { type FollowedReplay, leavesFailed, type ReplayRequest } from '../../record/replay.ts';
import { asked } from '../audited.ts';
import type { ChosenMessage, NewReplay } from '../contract.ts';
import { newestFirst, pageOfAll } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import { pageOf } from '../schemas/page.ts';
import * as schemas from '../schemas/replay.ts';
import { picked, replayView, summaryView } from '../views.ts';
import { messageIn, SWITCHED_OFF } from './deliveries.ts';
import { type AdminApp, found, isDryRun, leftBy, refusals, routesOf } from './route.ts';

/** Replays: send failed messages, or those of a period, again, at a rate that the receiver can take. */
export function replayRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Replays');
  const { settings, log, replays } = deps;

  routes.post('/replays', {
    action: 'replay.create',
    reads: isDryRun,
    operationId: 'createReplay',
    summary: 'Send messages again',
    description:
      'With `dryRun` nothing is sent: 200 with the count and the first few. Without it: 201 with the replay, which ' +
      'runs on. Times match `receivedAt`; without `to` it ends with what was received before it. A replayed message ' +
      'goes back to waiting with a new retry window and the same bytes. `messages` chooses some one by one, and leaves out what is ' +
      'gone, what is of a source that is not connected to the destination and, with state `failed`, what has not failed; 409 where none ' +
      'is sent: each waits anyway, or was left out. 409 too while the destination is switched off, also for a `dryRun`.',
    body: schemas.NewReplay,
    response: { 200: schemas.ReplayPreview, 201: schemas.Replay, ...refusals(404, 409) },
    handler: async (call, reply) => {
      const { body } = call;
      const destination = settings.destination(body.destinationId);
      if (!destination) return refuse('destinationId', 'names no destination');
      if (body.webhookId && !hasUrl(destination, body.webhookId)) refuse('webhookId', 'is no URL of this destination');
      if (!destination.enabled) throw new Fault('conflict', SWITCHED_OFF);
      const isForFailed = body.state === 'failed' || body.messages !== undefined;
      if (isForFailed && leavesFailed(destination, body.webhookId)) refuse('webhookId', ONE_OF_ALL);
      const request = requestOf(body);
      if (isDryRun(body)) {
        const { count, sample, errors } = await replays.preview(request, leftBy(reply));
        const named = errors.map(({ error, count }) => ({ error, title: causeOf(error).title, count }));
        return reply.code(200).send({ count, errors: named, sample: sample.map(summaryView) });
      }
      const replay = body.messages ? await sendChosen(request, body.messages) : await replays.create(request);
      const shown = replayView(replay);
      const { event, userId, error } = shown.filter;
      call.auditChanges = asked({
        ...picked(shown, 'destinationId', 'webhookId', 'state', 'from', 'to', 'chosen', 'perSecond'),
        ...{ 'filter.event': event, 'filter.error': error, ofOneUser: userId === null ? null : true },
      });
      return reply.code(201).header('location', `/api/replays/${replay.id}`).send(shown);
    },
  });

  routes.get('/replays', {
    operationId: 'listReplays',
    summary: 'List replays, of one destination or all, newest first',
    querystring: schemas.replaysQuery,
    response: { 200: pageOf(schemas.Replay), ...refusals() },
    handler: async ({ query }) => {
      const { destinationId } = query;
      const all = await replays.list();
      const of = destinationId === undefined ? all : all.filter((replay) => replay.destinationId === destinationId);
      return pageOfAll(of, newestFirst, query, replayView);
    },
  });

  routes.get('/replays/:id', {
    operationId: 'getReplay',
    summary: 'How far a replay is',
    response: { 200: schemas.Replay, ...refusals(404) },
    handler: async ({ params }) => replayView(found(await replays.get(params.id), `replay ${params.id}`)),
  });

  routes.post('/replays/:id/stop', {
    action: 'replay.stop',
    operationId: 'stopReplay',
    summary: 'Stop a replay',
    description: 'What it put back to waiting is still sent. One that is over stays as it is.',
    response: { 200: schemas.Replay, ...refusals(404) },
    handler: async ({ params }) => replayView(found(await replays.halt(params.id), `replay ${params.id}`)),
  });

  async function sendChosen(request: ReplayRequest, messages: readonly ChosenMessage[]): Promise<FollowedReplay> {
    const entries = new Map<Position, LogEntry>();
    let gone = 0;
    for (const { userId, ...message } of messages) {
      const entry = await messageIn(log, userId === null || userId === undefined ? message : { ...message, userId });
      if (entry) entries.set(entry.position, entry);
      else gone += 1;
    }
    if (entries.size === 0) throw new Fault('not_found', NONE_KEPT);
    const chosen = [...entries.values()].toSorted(byPosition);
    const replay = await replays.sendAgain(request, chosen, chosen.length + gone);
    if (replay === null) throw new Fault('conflict', NONE_SENT);
    return replay;
  }
}

/** If all URLs have to take a message, a replay to one URL would count as taken by all, although another URL may have failed. */
const ONE_OF_ALL =
  'is not possible with state failed or with messages: the destination asks for all URLs, so each has to take what failed. Leave it out';

const NONE_KEPT = 'There is none of these messages';

const NONE_SENT =
  'None of these messages was sent again: each waits for this destination anyway, has not failed (with state failed), or its source is not connected to it, or was not when it came';

const byPosition = (a: LogEntry, b: LogEntry): number => a.position - b.position;

function requestOf(body: NewReplay): ReplayRequest {
  const from = instant(body.from, 'from');
  const to = instant(body.to, 'to');
  if (body.messages && (body.from ?? body.to ?? body.filter ?? body.dryRun)) {
    refuse('messages', 'are chosen one by one: leave out from, to, filter and dryRun');
  }
  if (body.filter?.error && body.state !== 'failed') refuse('filter.error', 'narrows state failed only');
  if (body.filter?.error) checkEnd(body.filter.error);
  if (from !== null && to !== null && from >= to) refuse('to', 'must be later than from');
  return {
    destinationId: body.destinationId,
    webhookId: body.webhookId ?? null,
    state: body.state,
    filter: {
      event: body.filter?.event ?? null,
      userId: body.filter?.userId ?? null,
      error: body.filter?.error ?? null,
    },
    from,
    to,
    perSecond: body.perSecond ?? schemas.DEFAULT_PER_SECOND,
  };
}

/** @throws InvalidInput for a code that no message fails with: the replay would find nothing, and a slip would look like good news. */
function checkEnd(end: string): void {
  if (/^\d/.test(end) || ENDS.includes(end)) return;
  const { nearest } = nearestName(end, ENDS);
  refuse('filter.error', `is no code of an error. The nearest is ${nearest}; docs/delivery.md has them all`);
}
