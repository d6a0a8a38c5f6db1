import Type from 'typebox';
import { REGULATION_TYPES } from '../../regulations/contract.ts';
import type * as contract from '../contract.ts';
import { count, id, textOrNull, time, timeOrNull } from './field.ts';
import { cursor, limit, type PageQuery } from './page.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref } from './shape.ts';

const MAX_USERS = 5_000;
/** Of a user id, in characters. */
const LONGEST_ID = 500;

const regulationType = Type.Enum([...REGULATION_TYPES], {
  type: 'string',
  description: '`SUPPRESS_WITH_DELETE` also refuses later calls of the users',
});

const subjectType = Type.Enum(['USER_ID'], { type: 'string' });

export const userId: SchemaOf<string> = Type.Unsafe<string>(Type.String({ minLength: 1, maxLength: LONGEST_ID }));

type NoticeState = NonNullable<contract.RegulationSubject['sources'][0]['notice']>['state'];

const noticeState: SchemaOf<NoticeState> = Type.Unsafe<NoticeState>(
  Type.Enum(['waiting', 'delivered', 'failed', 'filtered'], { type: 'string' }),
);

export interface SubjectsQuery extends PageQuery {
  notice?: NoticeState;
}

export const subjectsQuery: SchemaOf<SubjectsQuery> = Type.Unsafe<SubjectsQuery>(
  Type.Object(
    { cursor: Type.Optional(cursor), limit: Type.Optional(limit), notice: Type.Optional(noticeState) },
    { additionalProperties: false },
  ),
);

export interface SuppressionsQuery extends PageQuery {
  prefix?: string;
}

export const suppressionsQuery: SchemaOf<SuppressionsQuery> = Type.Unsafe<SuppressionsQuery>(
  Type.Object(
    {
      cursor: Type.Optional(cursor),
      limit: Type.Optional(limit),
      prefix: Type.Optional(Type.String({ maxLength: LONGEST_ID, description: 'What the user ids begin with' })),
    },
    { additionalProperties: false },
  ),
);

export const NewRegulation: SchemaOf<contract.NewRegulation> = named<contract.NewRegulation>()(
  'NewRegulation',
  Type.Object(
    {
      regulationType,
      subjectType,
      subjectIds: Type.Array(userId, {
        minItems: 1,
        maxItems: MAX_USERS,
        description: 'User ids, exactly as calls give them',
      }),
      dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only say what it would reach' })),
    },
    {
      additionalProperties: false,
      examples: [{ regulationType: 'SUPPRESS_WITH_DELETE', subjectType: 'USER_ID', subjectIds: ['u1'] }],
    },
  ),
);

export const RegulationReach: SchemaOf<contract.RegulationReach> = named<contract.RegulationReach>()(
  'RegulationReach',
  Type.Object({
    persons: count,
    ids: count,
    others: Type.Array(Type.Object({ userId: Type.String(), others: Type.Array(Type.String()) }), {
      description: 'Persons that have other user ids than those asked for, 100 at most',
    }),
    events: Type.Object(
      { found: count, complete: Type.Boolean() },
      { description: 'Their events; where `complete` is false, at least so many' },
    ),
    sources: Type.Array(Type.Object({ sourceId: id, events: count })),
    unknown: nullable(
      Type.Object(
        { count, first: Type.Array(Type.String()) },
        { description: 'User ids that no person and no event has, 20 named at most; null where `complete` is false' },
      ),
    ),
  }),
);

const regulation = {
  id,
  regulationType,
  subjectType,
  status: Type.Enum(['running', 'finished'], { type: 'string' }),
  step: Type.Enum(['searching', 'erasing', 'notifying', 'delivering', 'finished'], { type: 'string' }),
  createdAt: time,
  finishedAt: timeOrNull,
  users: count,
  ids: nullable(Type.Integer({ minimum: 0, description: 'Ids that their persons had' })),
  events: Type.Object({ found: count, removed: count }, { description: "The users' events" }),
  notices: Type.Object({ total: count, ended: count, failed: count }, { description: 'Delete messages' }),
};

export const Regulation: SchemaOf<contract.Regulation> = named<contract.Regulation>()(
  'Regulation',
  Type.Object(regulation),
);

export const RegulationReceipt: SchemaOf<contract.RegulationReceipt> = named<contract.RegulationReceipt>()(
  'RegulationReceipt',
  Type.Object({
    destinationId: id,
    state: Type.String(),
    reason: textOrNull,
    at: time,
    attempts: Type.Array(
      Type.Object({
        url: Type.String(),
        at: time,
        ms: Type.Number(),
        status: Type.Union([Type.Integer(), Type.Null()]),
        error: textOrNull,
      }),
    ),
  }),
);

export const RegulationSubject: SchemaOf<contract.RegulationSubject> = named<contract.RegulationSubject>()(
  'RegulationSubject',
  Type.Object({
    userId: Type.String(),
    sources: Type.Array(
      Type.Object({
        sourceId: id,
        events: count,
        notice: Type.Union([
          Type.Object({
            messageId: Type.String(),
            state: noticeState,
            receipts: Type.Array(ref(RegulationReceipt)),
          }),
          Type.Null(),
        ]),
      }),
    ),
  }),
);

export const RegulationDetails: SchemaOf<contract.RegulationDetails> = named<contract.RegulationDetails>()(
  'RegulationDetails',
  Type.Object({ ...regulation, subjects: Type.Array(ref(RegulationSubject)), next: textOrNull }),
);

export const RegulationReport: SchemaOf<contract.RegulationReport> = named<contract.RegulationReport>()(
  'RegulationReport',
  Type.Object({ generatedAt: time, regulation: ref(Regulation), subjects: Type.Array(ref(RegulationSubject)) }),
);

export const Suppression: SchemaOf<contract.Suppression> = named<contract.Suppression>()(
  'Suppression',
  Type.Object({ userId: Type.String(), since: time }),
);
