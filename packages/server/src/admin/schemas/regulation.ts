import Type, { type Static } from 'typebox';
import { REGULATION_STEPS, REGULATION_TYPES } from '../../regulations/contract.ts';
import { leftOut } from './delivery.ts';
import { count, id, textOrNull, time, timeOrNull, whole } from './field.ts';
import { next, paged } from './page.ts';
import { answer, closed, flag, input, list, nullable, object, oneOf, optional, text } from './shape.ts';

const MAX_USERS = 5_000;

const regulationType = oneOf(REGULATION_TYPES, '`SUPPRESS_WITH_DELETE` also refuses later calls of the users');

const subjectType = oneOf(['USER_ID']);

export const userId = text({ minLength: 1 });

const noticeState = oneOf(['waiting', 'delivered', 'failed', 'filtered']);

export type SubjectsQuery = Static<typeof subjectsQuery>;
export const subjectsQuery = closed({ ...paged, notice: optional(noticeState) });

export const suppressionsQuery = closed({
  ...paged,
  prefix: optional(text('What the user ids begin with')),
});

export type NewRegulation = Static<typeof NewRegulation>;
export const NewRegulation = input(
  'NewRegulation',
  {
    regulationType,
    subjectType,
    subjectIds: list(userId, {
      minItems: 1,
      maxItems: MAX_USERS,
      description: 'User ids, exactly as calls give them',
    }),
    dryRun: optional(flag({ default: false, description: 'Only say what it would reach' })),
  },
  { examples: [{ regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['u1'] }] },
);

export type RegulationReach = Static<typeof RegulationReach>;
export const RegulationReach = answer(
  'RegulationReach',
  {
    persons: whole(0, 'Persons that the users are'),
    ids: whole(0, 'All ids they are known by'),
    others: list(
      object({ userId: text(), others: list(text()) }),
      'Persons that have other user ids than those asked for, 100 at most: what was known of these is deleted too',
    ),
    events: object({ found: count, complete: flag() }, 'Their events; where `complete` is false, at least so many'),
    sources: list(object({ sourceId: id, events: count })),
    unknown: nullable(
      object({ count, first: list(text()) }),
      'User ids that no person and no event has, 20 named at most; null where `complete` is false',
    ),
  },
  'What a regulation would reach: the answer to a dry run',
);

const regulation = {
  id,
  regulationType,
  subjectType,
  status: oneOf(['running', 'finished']),
  step: oneOf(REGULATION_STEPS, 'What it does now'),
  createdAt: time,
  erasedAt: nullable(
    time,
    'From when on nothing can read the events and profiles of its users; null before, and where an older version did it',
  ),
  compactedAt: nullable(time, 'From when on no file holds their bytes; null until then'),
  finishedAt: timeOrNull,
  users: count,
  ids: nullable(whole(0, 'Ids that their persons had; null until that is known')),
  events: object({ found: count, removed: count }, "The users' events"),
  notices: object(
    { total: count, ended: count, delivered: count, failed: count, filtered: count },
    'Delete messages that were sent out; how many have ended at each destination; of those, how many a destination took and none refused, and, as `filtered`, how many no destination took or refused: each was switched off or deleted before. `failed` is how many a destination refused for good, from the refusal on',
  ),
};

export type Regulation = Static<typeof Regulation>;
export const Regulation = answer('Regulation', regulation);

export type RegulationReceipt = Static<typeof RegulationReceipt>;
export const RegulationReceipt = answer(
  'RegulationReceipt',
  {
    destinationId: id,
    state: text(),
    reason: textOrNull,
    at: time,
    attempts: list(
      object({
        url: text(),
        at: time,
        ms: Type.Number(),
        status: nullable(Type.Integer()),
        error: textOrNull,
        leftOut: optional(leftOut),
      }),
    ),
  },
  'One delete message at one destination',
);

export type RegulationSubject = Static<typeof RegulationSubject>;
export const RegulationSubject = answer('RegulationSubject', {
  userId: text(),
  sources: list(
    object({
      sourceId: id,
      events: whole(0, "The user's events there that were removed"),
      notice: nullable(
        object({
          messageId: text(),
          state: noticeState,
          receipts: list(
            RegulationReceipt,
            'Of each destination where it has ended; `state` is `waiting` until that is each of them',
          ),
        }),
        'Null before it is sent out, and where no destination of the source was on',
      ),
    }),
    'The sources that had seen the user',
  ),
});

const subjects = list(RegulationSubject);

export type RegulationDetails = Static<typeof RegulationDetails>;
export const RegulationDetails = answer('RegulationDetails', { ...regulation, subjects, next });

export type RegulationReport = Static<typeof RegulationReport>;
export const RegulationReport = answer('RegulationReport', {
  ...{ generatedAt: time, regulation: Regulation },
  subjects,
});

export type Suppression = Static<typeof Suppression>;
export const Suppression = answer('Suppression', { userId: text(), since: time });
