import Type, { type Static } from 'typebox';
import { Paused } from './destination.ts';
import { Counts } from './destination-status.ts';
import { bound, count, id, textOrNull, time, timeOrNull, whole } from './field.ts';
import { answer, closed, described, flag, list, nullable, oneOf, optionals, type SchemaOf, text } from './shape.ts';

const quantile = (name: string): SchemaOf<number | null> =>
  nullable(Type.Number({ minimum: 0, description: `${name} from acceptance to delivery, ms, within 10 %` }));

const numbers = {
  accepted: whole(0, 'Calls accepted from the sources asked for, of a destination from its sources'),
  rejected: whole(0, 'Calls of these sources that were refused, without those of suppressed users'),
  processed: count,
  failed: count,
  filtered: count,
  retried: whole(0, 'Rounds with a failed request after which a message had to wait for another'),
  attempts: whole(0, 'Requests that were sent to destinations'),
  attemptsFailed: count,
  p50: quantile('Half of those processed took at most this'),
  p95: quantile('95 % of those processed took at most this'),
};

export type StatsNumbers = Omit<StatsTotal, 'p50' | 'p95'>;

export type StatsTotal = Static<typeof StatsTotal>;
export const StatsTotal = answer('StatsTotal', numbers);

export type StatsBucket = Static<typeof StatsBucket>;
export const StatsBucket = answer('StatsBucket', { at: described(time, 'Its beginning'), ...numbers });

export type Stats = Static<typeof Stats>;
export const Stats = answer(
  'Stats',
  {
    from: time,
    to: time,
    step: Type.Integer({ description: 'Length of a bucket, seconds: 60, 300, 1800, 7200 or 86400' }),
    buckets: list(StatsBucket, '300 at most'),
    total: StatsTotal,
    before: nullable(StatsTotal, 'The range of the same length before; null where not all of it is known'),
  },
  'Statistics by time; `from` and `to` are those asked for, moved out to whole buckets',
);

/** The range that statistics are asked for. */
const range = optionals({
  from: bound,
  to: bound,
  last: text({ maxLength: 12, description: 'In place of `from` and `to`: this long up to now, `1h` or `7d`' }),
});

export type RangeQuery = Static<typeof rangeQuery>;
export const rangeQuery = closed(range);

export type StatsQuery = Static<typeof statsQuery>;
export const statsQuery = closed({ ...range, ...optionals({ destinationId: id, sourceId: id }) });

const SourceVolume = answer('SourceVolume', { sourceId: id, accepted: list(count, 'Of each minute') });

export type SourceVolumes = Static<typeof SourceVolumes>;
export const SourceVolumes = answer(
  'SourceVolumes',
  {
    from: time,
    items: list(SourceVolume, 'Sources without any are left out'),
  },
  'What each source sent in the last 60 minutes that are over',
);

export type DestinationHealth = OverviewDestination['health'];
export type OverviewDestination = Static<typeof OverviewDestination>;
export const OverviewDestination = answer('OverviewDestination', {
  id,
  name: text(),
  type: text(),
  sourceIds: list(id, 'The sources whose events it takes'),
  urls: count,
  health: oneOf(
    ['healthy', 'degraded', 'failing', 'paused', 'idle', 'off'],
    'Judged by attempts. `failing`: the breaker is open, or of the rounds of the last 5 minutes in which something was tried ' +
      'less than half succeeded, however long ago that was. `degraded`: a URL is stalled or overloaded, more waits than was delivered in 5 ' +
      "minutes and for longer than that, fewer than 99 % of the last hour's attempts succeeded, or messages wait for a paused URL " +
      'where all are asked for; where the oldest that is held is lost within a day it is `failing`. `paused`: it, or each of its URLs, stands still on demand. `idle`: on, and nothing was ' +
      'tried in the last hour',
  ),
  reason: described(textOrNull, 'Why it is not healthy, in a few words; null when it is'),
  paused: nullable(Paused),
  counts: Counts,
  lastHour: StatsTotal,
  oldestWaitingAt: described(timeOrNull, 'When the oldest event that still waits was received; null when none waits'),
  lostAt: described(
    timeOrNull,
    'When that one will have been kept for as long as events are, and fails: where a pause or a URL of this machine holds it; ' +
      'null until a day before. A delete message may wait longer',
  ),
  lastDeliveredAt: described(timeOrNull, 'Null when nothing was delivered within what is kept'),
  lastTriedAt: described(timeOrNull, 'When a round of attempts last ended; null when none did within what is kept'),
});

export type OverviewSource = Static<typeof OverviewSource>;
export const OverviewSource = answer('OverviewSource', {
  id,
  name: text(),
  type: text(),
  enabled: flag(),
  sentBy: nullable(text('The audience or computed trait that sends under it')),
  accepted: whole(0, 'In the last hour'),
  rejected: whole(0, 'In the last hour, without those of suppressed users'),
  lastEventAt: described(timeOrNull, 'Null when none was accepted within what is kept'),
});

export type OverviewProblem = Static<typeof OverviewProblem>;
export const OverviewProblem = answer('OverviewProblem', {
  kind: oneOf(
    ['destination', 'rejections', 'replay', 'service', 'incident'],
    '`destination`: one that is failing, degraded or paused. `rejections`: a source, of whose calls of the last hour at least 1 % ' +
      'were refused, or write keys that no source has. `replay`: the newest of a destination in the last 24 hours, when messages of it failed again. ' +
      '`service`: a check of `/health/ready`. `incident`: an open one of what is in none of the others',
  ),
  severity: oneOf(
    ['failing', 'degraded', 'paused'],
    '`paused`: a destination stands still on demand. It is `failing` where it loses what it holds within a day',
  ),
  id: text('Of the destination or of the source, empty for unknown write keys; the name of the check; of the incident'),
  name: text(),
  title: text('What is wrong, in a sentence'),
  cause: described(textOrNull, 'What was met most often; null where that is not known'),
  advice: described(textOrNull, 'What to do about it'),
  since: described(
    timeOrNull,
    'When its incident began. Without one, when what was met most often was first met in the last hour; for refused calls ever; when a replay began',
  ),
  incidentId: nullable(id, 'Its open incident'),
});

export type Overview = Static<typeof Overview>;
export const Overview = answer('Overview', {
  at: described(time, 'The moment it is of'),
  problems: list(OverviewProblem, 'Gravest first; empty when nothing was found'),
  checks: list(text('A check of `/health/ready` that was made')),
  counts: Counts,
  stats: nullable(Stats, 'Of the time that was asked for; null when none was'),
  perSecond: Type.Number({ minimum: 0, description: 'Events accepted a second by all nodes, mean of the last 10 s' }),
  destinations: list(OverviewDestination, 'Those that need attention first'),
  sources: list(OverviewSource),
});
