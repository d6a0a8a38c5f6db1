import Type from 'typebox';
import type * as contract from '../contract.ts';
import { DestinationStatus, LaneCounts } from './destination.ts';
import { count, eventType, id, textOrNull, time, timeOrNull } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named, ref, refOrNull } from './shape.ts';
import { OverviewDestination, Stats } from './stats.ts';

const cause = {
  title: Type.String(),
  advice: Type.String({ description: 'What to do' }),
  class: Type.Enum(['success', 'temporary', 'permanent'], { type: 'string' }),
};

export const FailureSample: SchemaOf<contract.FailureSample> = named<contract.FailureSample>()(
  'FailureSample',
  Type.Object({
    messageId: Type.String(),
    sourceId: id,
    userId: textOrNull,
    event: textOrNull,
    at: time,
    detail: textOrNull,
    answer: textOrNull,
  }),
);

export const DeliveryError: SchemaOf<contract.DeliveryError> = named<contract.DeliveryError>()(
  'DeliveryError',
  Type.Object({
    ...cause,
    url: Type.String(),
    kind: Type.String({ description: 'A status or the code of an error', examples: ['503', 'timeout'] }),
    count,
    firstAt: time,
    lastAt: time,
    sample: refOrNull(FailureSample),
  }),
);

export const DestinationOverview: SchemaOf<contract.DestinationOverview> = named<contract.DestinationOverview>()(
  'DestinationOverview',
  Type.Object({
    at: time,
    destination: ref(OverviewDestination),
    status: ref(DestinationStatus),
    lanes: Type.Array(ref(LaneCounts)),
    stats: ref(Stats),
    urls: Type.Array(
      Type.Object({
        url: Type.String(),
        attempts: count,
        failed: count,
        lastSuccessAt: timeOrNull,
        lastFailureAt: timeOrNull,
      }),
    ),
    errors: Type.Array(ref(DeliveryError)),
  }),
);

export const FailedGroups: SchemaOf<contract.FailedGroups> = named<contract.FailedGroups>()(
  'FailedGroups',
  Type.Object({
    groups: Type.Array(
      Type.Object({
        ...cause,
        error: Type.String(),
        type: eventType,
        event: textOrNull,
        count,
        lastAt: time,
        sample: ref(FailureSample),
      }),
    ),
    looked: count,
    more: Type.Boolean(),
  }),
);
