import Type from 'typebox';
import type * as contract from '../contract.ts';
import { bound, count, id, textOrNull, time, timeOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref, refOrNull } from './shape.ts';

const quantile = (name: string): SchemaOf<number | null> =>
  nullable(Type.Number({ minimum: 0, description: `${name} from acceptance to delivery, ms, within 10 %` }));

const numbers = {
  accepted: count,
  processed: count,
  failed: count,
  filtered: count,
  retried: Type.Integer({ minimum: 0, description: 'Rounds after which a message had to wait for another' }),
  attempts: Type.Integer({ minimum: 0, description: 'Requests that were sent to destinations' }),
  attemptsFailed: count,
  p50: quantile('Half of those processed took at most this'),
  p95: quantile('95 % of those processed took at most this'),
};

export const StatsTotal: SchemaOf<contract.StatsTotal> = named<contract.StatsTotal>()(
  'StatsTotal',
  Type.Object(numbers),
);

export const StatsBucket: SchemaOf<contract.StatsBucket> = named<contract.StatsBucket>()(
  'StatsBucket',
  Type.Object({ at: time, ...numbers }),
);

export const Stats: SchemaOf<contract.Stats> = named<contract.Stats>()(
  'Stats',
  Type.Object(
    {
      from: time,
      to: time,
      step: Type.Integer({ description: 'Length of a bucket, seconds: 60, 300, 1800, 7200 or 86400' }),
      buckets: Type.Array(ref(StatsBucket)),
      total: ref(StatsTotal),
      before: Type.Unsafe<contract.StatsTotal | null>(
        Type.Union([ref(StatsTotal), Type.Null()], {
          description: 'The range of the same length before; null where not all of it is known',
        }),
      ),
    },
    { description: 'Statistics by time; `from` and `to` are those asked for, moved out to whole buckets' },
  ),
);

/** A stretch of time that statistics are asked of. */
export interface RangeQuery {
  from?: string;
  to?: string;
  last?: string;
}

export interface StatsQuery extends RangeQuery {
  destinationId?: string;
  sourceId?: string;
}

const range = {
  from: Type.Optional(bound),
  to: Type.Optional(bound),
  last: Type.Optional(
    Type.String({ maxLength: 12, description: 'In place of `from` and `to`: this long up to now, `1h` or `7d`' }),
  ),
};

export const rangeQuery: SchemaOf<RangeQuery> = Type.Unsafe<RangeQuery>(
  Type.Object(range, { additionalProperties: false }),
);

export const statsQuery: SchemaOf<StatsQuery> = Type.Unsafe<StatsQuery>(
  Type.Object(
    { ...range, destinationId: Type.Optional(id), sourceId: Type.Optional(id) },
    { additionalProperties: false },
  ),
);

const counts = {
  accepted: count,
  processed: count,
  failed: count,
  filtered: count,
  waiting: count,
  retrying: count,
};

export const OverviewDestination: SchemaOf<contract.OverviewDestination> = named<contract.OverviewDestination>()(
  'OverviewDestination',
  Type.Object({
    id,
    name: Type.String(),
    type: Type.String(),
    sourceIds: Type.Array(id),
    urls: count,
    health: Type.Enum(['healthy', 'degraded', 'failing', 'idle', 'off'], { type: 'string' }),
    reason: textOrNull,
    counts: Type.Object(counts),
    lastHour: ref(StatsTotal),
    oldestWaitingAt: timeOrNull,
    lastDeliveredAt: timeOrNull,
    lastTriedAt: timeOrNull,
  }),
);

export const OverviewSource: SchemaOf<contract.OverviewSource> = named<contract.OverviewSource>()(
  'OverviewSource',
  Type.Object({
    id,
    name: Type.String(),
    type: Type.String(),
    enabled: Type.Boolean(),
    sentBy: Type.Union([Type.String(), Type.Null()]),
    accepted: count,
    rejected: count,
    lastEventAt: timeOrNull,
  }),
);

export const OverviewProblem: SchemaOf<contract.OverviewProblem> = named<contract.OverviewProblem>()(
  'OverviewProblem',
  Type.Object({
    kind: Type.Enum(['destination', 'rejections', 'replay', 'service'], { type: 'string' }),
    severity: Type.Enum(['failing', 'degraded'], { type: 'string' }),
    id: Type.String({
      description: 'Of the destination or of the source, empty for unknown write keys; the name of the check',
    }),
    name: Type.String(),
    title: Type.String({ description: 'What is wrong, in a sentence' }),
    cause: textOrNull,
    advice: textOrNull,
    since: timeOrNull,
  }),
);

export const Overview: SchemaOf<contract.Overview> = named<contract.Overview>()(
  'Overview',
  Type.Object({
    at: time,
    problems: Type.Array(ref(OverviewProblem)),
    checks: Type.Array(Type.String({ description: 'A check of `/health/ready` that was made' })),
    counts: Type.Object(counts),
    stats: refOrNull(Stats),
    perSecond: Type.Number({ minimum: 0, description: 'Events accepted a second, mean of the last 10 s' }),
    destinations: Type.Array(ref(OverviewDestination)),
    sources: Type.Array(ref(OverviewSource)),
  }),
);
