import { randomId } from '@mantine/hooks';
import type { OperandOf, TestName } from '../../../server/src/admin/contract.ts';
import type { CountName } from './words.ts';

/**
 * Definitions while they are edited: the API's JSON, but each number and each compared value is a `Typed`, and what is
 * missing is an empty text. A `key` identifies a part while parts are added, moved and removed.
 */

interface Keyed {
  readonly key: string;
}

/** A number, or a value of one of JSON's simple types, as it is typed. */
export interface Typed extends Keyed {
  /** `empty`: the empty text. */
  readonly type: 'text' | 'empty' | 'number' | 'true' | 'false' | 'null';
  readonly text: string;
}

/** A condition. */
export type Draft = GroupDraft | { readonly not: Draft } | LeafDraft;

export type GroupDraft = Keyed & ({ readonly all: readonly Draft[] } | { readonly any: readonly Draft[] });

/** A condition that contains no other conditions. */
export type LeafDraft = Keyed &
  (
    | { readonly trait: string; readonly is: TestDraft }
    | { readonly groupTrait: string; readonly is: TestDraft }
    | FieldDraft
    | EventDraft
    | { readonly audience: string }
  );

/** About a field of a call, or a path into one of its objects. */
interface FieldDraft {
  readonly field: string;
  readonly is: TestDraft;
}

/** Without a count: at least once. Without a period: at any time. */
interface EventDraft {
  readonly event: SelectionDraft;
  readonly count?: CountDraft | undefined;
  readonly during?: PeriodDraft | undefined;
}

export interface SelectionDraft {
  /** Absent: `track`. */
  readonly type?: 'track' | 'page' | 'screen' | undefined;
  /** Absent: any name. */
  readonly name?: string | undefined;
  readonly where?: readonly WhereDraft[] | undefined;
}

export interface WhereDraft extends Keyed {
  readonly property: string;
  readonly is: TestDraft;
}

/** One count. */
export type CountDraft = { readonly [Name in CountName]?: Typed };

/** A length, or a time between two moments (ISO 8601), one of which may be absent. */
export interface PeriodDraft {
  readonly lastHours?: Typed;
  readonly lastDays?: Typed;
  readonly from?: string;
  readonly to?: string;
}

/** What each kind of test compares with. */
export interface Operands {
  readonly scalar: Typed;
  readonly scalars: readonly Typed[];
  readonly text: string;
  readonly number: Typed;
  readonly flag: boolean;
  readonly instant: string;
  readonly days: Typed;
}

/** One test. */
export type TestDraft = { readonly [Name in TestName]?: Operands[OperandOf<Name>] };

/** The number of days in a new period. */
export const DAYS = '30';

export function typed(type: Typed['type'], text = ''): Typed {
  return { key: randomId(), type, text };
}

export function newTest(): TestDraft {
  return { equals: typed('text') };
}

export function newCondition(): Draft {
  return { key: randomId(), event: { name: '' } };
}

export function newField(): Draft {
  return { key: randomId(), field: 'event', is: newTest() };
}

export function newGroup(of: 'all' | 'any', parts: readonly Draft[]): Draft {
  return of === 'all' ? { key: randomId(), all: parts } : { key: randomId(), any: parts };
}

export function newComputation(): object {
  return { compute: { sum: '' }, event: { name: '' } };
}
