import type { Destination } from '../core/destination.ts';
import type { Source } from '../core/source.ts';
import type { StatsSums } from '../record/contract.ts';
import type { DestinationHealth, Overview, OverviewDestination, OverviewSource } from './contract.ts';
import { sumCounts } from './counts.ts';
import type { AdminDeps } from './deps.ts';
import { healthOf } from './health-of.ts';
import { acceptedOnly, totalOf } from './stats.ts';
import { isoOrNull } from './views.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LAST_MINUTES = 5 * MINUTE;

/** The order of the list: what needs attention comes first. */
const URGENCY: readonly DestinationHealth[] = ['failing', 'degraded', 'healthy', 'idle', 'off'];

type OverviewDeps = Pick<AdminDeps, 'settings' | 'deliveries' | 'stats' | 'perSecond' | 'destinationStatus' | 'clock'>;

/** All sources and destinations as they are now. */
export async function overviewOf(deps: OverviewDeps): Promise<Overview> {
  const { settings, deliveries, stats, clock } = deps;
  const sources = settings.sources();
  const all = settings.destinations();
  const ids = all.map(({ id }) => id);
  const subjects = [...sources.map(({ id }) => id), ...ids];
  const now = clock.now();
  // The minute under way is the last of the hour.
  const end = now - (now % MINUTE) + MINUTE;
  const [hour, minutes, lastAt, oldest, lanes] = await Promise.all([
    stats.totals(subjects, end - HOUR, end),
    stats.totals(ids, end - LAST_MINUTES, end),
    stats.lastAt(subjects),
    deliveries.oldestWaiting(ids),
    deliveries.counts(ids),
  ]);
  const countsOf = Map.groupBy(lanes, ({ destinationId }) => destinationId);
  const destinations = all.map((destination): OverviewDestination => {
    const { id, name, type, enabled, webhooks } = destination;
    const lastHour = totalOf(lastHourOf(destination, hour));
    const lastMinutes = totalOf([minutes.get(id)].filter((sum) => sum !== undefined));
    return {
      id,
      name,
      type,
      urls: webhooks.length,
      ...healthOf({ enabled, status: deps.destinationStatus(id), lastHour, lastMinutes }),
      counts: sumCounts(countsOf.get(id) ?? []),
      lastHour,
      oldestWaitingAt: isoOrNull(oldest.get(id) ?? null),
      lastDeliveredAt: isoOrNull(lastAt.get(id) ?? null),
    };
  });
  return {
    counts: sumCounts(lanes),
    perSecond: deps.perSecond(),
    destinations: destinations.sort(
      (a, b) => URGENCY.indexOf(a.health) - URGENCY.indexOf(b.health) || a.name.localeCompare(b.name, 'en'),
    ),
    sources: sources.map((source) => sourceOf(source, hour.get(source.id), lastAt.get(source.id))),
  };
}

function lastHourOf({ id, sourceIds }: Destination, hour: ReadonlyMap<string, StatsSums>): StatsSums[] {
  const own = hour.get(id);
  const accepted = sourceIds.flatMap((sourceId) => hour.get(sourceId) ?? []).map(acceptedOnly);
  return own ? [own, ...accepted] : accepted;
}

function sourceOf(source: Source, hour: StatsSums | undefined, lastAt: number | undefined): OverviewSource {
  const { id, name, type, enabled, sentBy } = source;
  return {
    id,
    name,
    type,
    enabled,
    sentBy: sentBy ?? null,
    accepted: hour?.accepted ?? 0,
    rejected: hour?.rejected ?? 0,
    lastEventAt: isoOrNull(lastAt ?? null),
  };
}
