import type { AdminDeps } from '../deps.ts';
import { refuse } from '../input.ts';
import { overviewOf } from '../overview.ts';
import { Overview, rangeQuery, SourceVolumes, Stats, type StatsQuery, statsQuery } from '../schemas/stats.ts';
import { rangeAsked, type StatsSubjects, statsOf, volumesOf } from '../stats.ts';
import { type AdminApp, found, refusals, routesOf } from './route.ts';

/** Numbers of accepted and delivered events, over time and now. */
export function statsRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Statistics');
  const { settings, stats, clock, retention } = deps;

  routes.get('/stats', {
    role: 'observer',
    operationId: 'getStats',
    summary: 'Statistics over time, of everything, one destination or one source',
    description:
      'Counted by the minute and written every few seconds; the last day unless `from` and `to` say otherwise. ' +
      'They say how much happened when. What became of every event, exactly, is in the counts of a destination.',
    querystring: statsQuery,
    response: { 200: Stats, ...refusals(404) },
    handler: async ({ query }) =>
      statsOf(stats, subjectsOf(query), rangeAsked(query, clock.now()), clock.now() - retention),
  });

  routes.get('/stats/sources', {
    role: 'observer',
    operationId: 'getSourceVolumes',
    summary: 'What each source sent in the last hour, minute by minute',
    response: { 200: SourceVolumes, ...refusals() },
    handler: () =>
      volumesOf(
        stats,
        settings.sources().map(({ id }) => id),
        clock.now(),
      ),
  });

  routes.get('/overview', {
    role: 'observer',
    operationId: 'getOverview',
    summary: 'All sources and destinations at a glance; those that need attention first',
    description:
      'What is wrong comes first, with its cause. Counts are exact, the last hour and the last times are statistics. With ' +
      '`from`, `stats` are those of that time: all numbers of one answer are of one moment.',
    querystring: rangeQuery,
    response: { 200: Overview, ...refusals() },
    handler: ({ query }) =>
      overviewOf(deps, query.from === undefined && query.last === undefined ? null : rangeAsked(query, clock.now())),
  });

  function subjectsOf({ destinationId, sourceId }: StatsQuery): StatsSubjects {
    if (destinationId !== undefined && sourceId !== undefined) {
      refuse('sourceId', 'cannot be combined with destinationId: ask for one of them');
    }
    if (destinationId !== undefined) {
      const { id, sourceIds } = found(settings.destination(destinationId), `destination ${destinationId}`);
      return { accepted: sourceIds, delivered: [id] };
    }
    // Results of a source's events are also counted under the source.
    const sources =
      sourceId === undefined ? settings.sources() : [found(settings.source(sourceId), `source ${sourceId}`)];
    const ids = sources.map(({ id }) => id);
    return { accepted: ids, delivered: ids };
  }
}
