import type { Static } from 'typebox';
import { shaping, sourceIds, trackFilter } from './destination.ts';
import { anyObject, count, id, position, textOrNull } from './field.ts';
import { answer, described, flag, input, list, object, optionals, text } from './shape.ts';

export type RoutingToPreview = Static<typeof RoutingToPreview>;
export const RoutingToPreview = input(
  'RoutingToPreview',
  { sourceIds, ...optionals({ trackFilter, ...shaping }) },
  {
    examples: [
      { sourceIds: ['src_mzxw6ytboi4dqmzt'], filter: { field: 'properties.total', is: { atLeast: 100 } }, redact: [] },
    ],
  },
);

const sampleOf = { position, messageId: text(), sourceId: id };

export type RoutingPreview = Static<typeof RoutingPreview>;
export const RoutingPreview = answer(
  'RoutingPreview',
  {
    looked: described(count, 'Events that were looked at'),
    all: flag('These were all of the last day; else its newest, up to 10,000 or for 2 seconds'),
    passed: count,
    filtered: list(
      object({ reason: text(), clause: textOrNull, count, sample: object(sampleOf) }),
      'By reason and clause, the most frequent first; `sample` is the newest',
    ),
    samples: list(
      object({
        ...sampleOf,
        before: anyObject,
        after: anyObject,
        changed: list(text(), 'Paths of the rules that changed something'),
      }),
      'The newest that pass and that `redact` changes; without `redact`, the newest that pass. Hashes are by a key of this answer alone',
    ),
  },
  'What rules would have made of the events of the last day',
);
