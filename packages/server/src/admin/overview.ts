import { agedAt } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import { heldUpBy, stillSince } from '../core/hold.ts';
import { iso, isoOrNull } from '../core/instant.ts';
import { sumCounts } from '../core/lane.ts';
import { roundsOf } from '../core/rounds.ts';
import type { Source } from '../core/source.ts';
import type { LaneCountsOf, StatsSums } from '../record/contract.ts';
import type { DestinationHealth, Overview, OverviewDestination, OverviewSource } from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { healthOf, LAST_MINUTES } from './health-of.ts';
import { type ProblemDeps, type ProblemSigns, problemsOf } from './problems.ts';
import { acceptedOnly, type StatsRange, statsOf, totalOf } from './stats.ts';
import { pausedView, picked } from './views.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The order of the list: destinations that need attention come first. */
const URGENCY: readonly DestinationHealth[] = ['failing', 'degraded', 'paused', 'healthy', 'idle', 'off'];

export type OverviewDeps = Pick<
  AdminDeps,
  'settings' | 'deliveries' | 'stats' | 'flushStats' | 'perSecond' | 'destinationStatus' | 'clock' | 'retention'
>;

/** The current state of all sources and destinations; with the statistics of a range, if one is given. */
export async function overviewOf(
  deps: OverviewDeps & ProblemDeps & Pick<AdminDeps, 'health'>,
  range: StatsRange | null,
): Promise<Overview> {
  const { settings, stats, retention, health } = deps;
  const sources = settings.sources();
  const ids = sources.map(({ id }) => id);
  const seen = await seenNow(deps, settings.destinations(), ids);
  const { now, hour, destinations, lanes } = seen;
  const [over, last, ready] = await Promise.all([
    range && statsOf(stats, { accepted: ids, delivered: ids }, range, now - retention),
    stats.last(ids),
    health.ready(),
  ]);
  return {
    at: iso(now),
    problems: await problemsOf(deps, { ...seen, ready }),
    checks: ready.checks.map(({ name }) => name),
    counts: sumCounts(lanes),
    perSecond: deps.perSecond(),
    stats: over,
    destinations: destinations.sort(
      (a, b) => URGENCY.indexOf(a.health) - URGENCY.indexOf(b.health) || a.name.localeCompare(b.name, 'en'),
    ),
    sources: sources.map((source) => sourceOf(source, hour.get(source.id), last.get(source.id)?.lastAt)),
  };
}

/** The facts read at one moment. */
export interface Seen extends Omit<ProblemSigns, 'ready' | 'destinations'> {
  readonly destinations: OverviewDestination[];
  readonly lanes: readonly LaneCountsOf[];
}

/**
 * Facts about some destinations and sources, all of one moment. The counts of this process are written to the statistics before
 * these are read. All else is read meanwhile: a database that hangs is waited for once.
 */
export async function seenNow(
  deps: OverviewDeps,
  all: readonly Destination[],
  sourceIds: readonly string[],
): Promise<Seen> {
  const { deliveries, stats, clock } = deps;
  const ids = all.map(({ id }) => id);
  const now = clock.now();
  const to = now - (now % MINUTE) + MINUTE;
  const from = to - HOUR;
  const statistics = async () => {
    await deps.flushStats();
    return Promise.all([
      stats.totals([...ids, ...sourceIds], from, to),
      stats.totals(ids, to - LAST_MINUTES, to),
      stats.last(ids),
    ]);
  };
  const [[hour, minutes, last], oldest, lanes] = await Promise.all([
    statistics(),
    deliveries.oldestWaiting(ids),
    deliveries.counts(ids),
  ]);
  const lanesOf = Map.groupBy(lanes, ({ destinationId }) => destinationId);
  const destinations = await Promise.all(
    all.map(async (destination): Promise<OverviewDestination> => {
      const { id, name, type, sourceIds, enabled, webhooks } = destination;
      const { lastAt = null, triedAt = null } = last.get(id) ?? {};
      const isOver = !wasTried(minutes.get(id));
      const lastMinutes = isOver ? await lastTried(deps, id, triedAt) : minutes.get(id);
      const counts = sumCounts(lanesOf.get(id) ?? []);
      const lastHour = totalOf(lastHourOf(destination, hour));
      const oldestAt = oldest.get(id) ?? null;
      const pausedSince = stillSince(destination);
      const status = deps.destinationStatus(id);
      const pausedUrls = heldUpBy(destination).length;
      const isHeld = pausedSince !== null || pausedUrls > 0 || status?.held === true;
      const expires = oldestAt === null ? null : agedAt(clock, oldestAt, deps.retention);
      const end = isHeld ? expires : null;
      const lostAt = end !== null && end - now < DAY ? end : null;
      return {
        id,
        name,
        type,
        sourceIds,
        urls: webhooks.length,
        ...healthOf({
          ...{ enabled, pausedSince, pausedUrls, status, lastHour, isOver },
          ...{ waiting: counts.waiting, retrying: counts.retrying },
          lastMinutes: totalOf(lastMinutes ? [lastMinutes] : []),
          longestWait: oldestAt === null ? null : now - oldestAt,
          isAboutToBeLost: lostAt !== null,
        }),
        paused: pausedSince === null ? null : pausedView(pausedSince, counts.waiting, oldestAt, expires),
        counts,
        lastHour,
        oldestWaitingAt: isoOrNull(oldestAt),
        lostAt: isoOrNull(lostAt),
        lastDeliveredAt: isoOrNull(lastAt),
        lastTriedAt: isoOrNull(triedAt),
      };
    }),
  );
  return { now, from, to, hour, lanes, destinations };
}

function wasTried(sum: StatsSums | undefined): boolean {
  return sum !== undefined && roundsOf(totalOf([sum])) + sum.attempts.size > 0;
}

/** The minutes before a destination's last attempt: its state when traffic stopped. */
async function lastTried({ stats }: OverviewDeps, id: string, triedAt: number | null): Promise<StatsSums | undefined> {
  if (triedAt === null) return undefined;
  const to = triedAt - (triedAt % MINUTE) + MINUTE;
  return (await stats.totals([id], to - LAST_MINUTES, to)).get(id);
}

function lastHourOf({ id, sourceIds }: Destination, hour: ReadonlyMap<string, StatsSums>): StatsSums[] {
  const own = hour.get(id);
  const accepted = sourceIds.flatMap((sourceId) => hour.get(sourceId) ?? []).map(acceptedOnly);
  return own ? [own, ...accepted] : accepted;
}

function sourceOf(source: Source, hour: StatsSums | undefined, lastAt: number | null | undefined): OverviewSource {
  return {
    ...picked(source, 'id', 'name', 'type', 'enabled'),
    sentBy: source.sentBy ?? null,
    accepted: hour?.accepted ?? 0,
    rejected: hour?.rejected ?? 0,
    lastEventAt: isoOrNull(lastAt ?? null),
  };
}
