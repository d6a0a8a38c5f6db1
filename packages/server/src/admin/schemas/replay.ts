import Type, { type Static } from 'typebox';
import { bound, count, FAILURE, id, position, textOrNull, time, timeOrNull, whole } from './field.ts';
import { EventSummary } from './live.ts';
import { paged } from './page.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
} from './shape.ts';

/** Default rate of a replay: deliveries made due per second. */
export const DEFAULT_PER_SECOND = 100;
const MAX_PER_SECOND = 10_000;

/** The most messages that one replay can list. */
const MOST_CHOSEN = 500;

const error = nullable(
  text({
    pattern: FAILURE,
    maxLength: 64,
    description: 'How they failed: a status, a class of them, or the code of an error; of state failed only',
    examples: ['503', '4xx', 'timeout'],
  }),
);

const state = oneOf(
  ['failed', 'all'],
  "`failed`: failed deliveries; `all`: every event of the destination's sources, in any state",
);

export type ChosenMessage = Static<typeof ChosenMessage>;
export const ChosenMessage = closed({
  messageId: text({ minLength: 1 }),
  sourceId: id,
  userId: optional(
    described(textOrNull, 'Whose it is; null or absent: the newest of this messageId, of any user or of none'),
  ),
  position: optional(position, 'As lists of events and deliveries have it: then it is this event and no other'),
});

export const replaysQuery = closed({ ...paged, ...optionals({ destinationId: id }) });

export type NewReplay = Static<typeof NewReplay>;
export const NewReplay = input(
  'NewReplay',
  {
    ...{ destinationId: id, state },
    ...optionals({
      from: nullable(described(bound, 'Of the time of receipt: `from` ≤ `receivedAt` < `to`')),
      to: nullable(bound),
      filter: closed(optionals({ event: textOrNull, userId: textOrNull, error })),
      messages: list(ChosenMessage, {
        ...{ minItems: 1, maxItems: MOST_CHOSEN },
        description:
          'Only these; those that are gone or of a source that is not connected are left out, and with state `failed` those that have not failed at the destination; without `from`, `to` and `filter`, and without `webhookId` where the destination asks for all URLs',
      }),
      webhookId: nullable(
        described(
          id,
          'A URL of the destination that alone is sent them: one that was added later is back-filled so. Null for all. Where the destination asks for all URLs, what has failed is left out',
        ),
      ),
      perSecond: Type.Number({ minimum: 0.1, maximum: MAX_PER_SECOND, default: DEFAULT_PER_SECOND }),
      dryRun: flag({ default: false, description: 'Only count, and show a few' }),
    }),
  },
  {
    examples: [
      { destinationId: 'dst_nbswy3dpeb3w64tm', state: 'failed', from: '2026-11-20', perSecond: 100, dryRun: true },
    ],
  },
);

export type ReplayPreview = Static<typeof ReplayPreview>;
export const ReplayPreview = answer('ReplayPreview', {
  count,
  errors: list(
    object({ error: text(), title: text(), count }),
    'How many failed how, most frequent first; of failed ones only',
  ),
  sample: list(EventSummary, 'The first few, in the order they would go'),
});

export type ReplayResult = Static<typeof ReplayResult>;
export const ReplayResult = answer(
  'ReplayResult',
  { delivered: count, failed: count, filtered: count, waiting: count },
  'What became of the messages that went back to waiting, exactly',
);

export type Replay = Static<typeof Replay>;
export const Replay = answer('Replay', {
  ...{ id, destinationId: id, state },
  filter: object({ event: textOrNull, userId: textOrNull, error: textOrNull }),
  chosen: nullable(
    described(
      count,
      'How many messages were chosen for it one by one: more than `total` where some were left out, being gone, not failed, or of a source that is not connected',
    ),
  ),
  webhookId: nullable(described(id, 'The URL that alone is sent them; null for all')),
  messageId: nullable(text('The one message that it sends again')),
  from: timeOrNull,
  to: timeOrNull,
  perSecond: Type.Number(),
  status: oneOf(['running', 'stopped', 'done']),
  total: whole(0, 'How many it set out to replay, and what failed since and was taken too'),
  done: whole(0, 'How many went back to waiting so far; those that were waiting anyway are not among them'),
  result: nullable(ReplayResult, 'What became of those; null of a replay that an earlier version began'),
  createdAt: time,
});
