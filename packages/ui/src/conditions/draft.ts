import { randomId } from '@mantine/hooks';
import type { TestName } from '../../../server/src/admin/contract.ts';
import type { ComputeName, CountName } from './words.ts';

/**
 * Definitions while they are edited. A draft has all parts of a definition, which may be unfinished: numbers and names
 * are texts, as they are typed. Keys identify the parts while they are added, moved and removed.
 */

/** A condition. `negations`: the number of `not` around it. */
export type Draft = { readonly key: string; readonly negations: number } & DraftBody;

export type DraftBody = GroupDraft | TraitDraft | EventDraft | MemberDraft | FieldDraft;

export interface GroupDraft {
  readonly kind: 'group';
  readonly of: 'all' | 'any';
  readonly parts: readonly Draft[];
}

export interface TraitDraft {
  readonly kind: 'trait' | 'groupTrait';
  readonly name: string;
  readonly is: TestDraft;
}

/** A field of a call, or a path into one of its objects. */
export interface FieldDraft {
  readonly kind: 'field';
  readonly name: string;
  readonly is: TestDraft;
}

export interface EventDraft {
  readonly kind: 'event';
  readonly event: SelectionDraft;
  /** Null: no count, which means at least once. */
  readonly count: CountDraft | null;
  readonly during: PeriodDraft;
}

export interface MemberDraft {
  readonly kind: 'audience';
  readonly id: string;
}

export interface SelectionDraft {
  /** Null: no type, which means `track`. */
  readonly type: 'track' | 'page' | 'screen' | null;
  /** Null: any name. */
  readonly name: string | null;
  readonly where: readonly WhereDraft[];
}

export interface WhereDraft {
  readonly key: string;
  readonly property: string;
  readonly is: TestDraft;
}

export interface CountDraft {
  readonly name: CountName;
  readonly times: string;
}

export type PeriodDraft =
  | { readonly kind: 'ever' }
  | { readonly kind: 'lastHours' | 'lastDays'; readonly length: string }
  /** ISO 8601; null if that end is open. */
  | { readonly kind: 'between'; readonly from: string | null; readonly to: string | null };

export interface TestDraft {
  readonly name: TestName;
  /** One value, or for `in` any number of values. Values that a test does not use are kept for the next test. */
  readonly values: readonly ScalarDraft[];
}

export interface ScalarDraft {
  readonly key: string;
  /** `empty`: the empty text. */
  readonly type: 'text' | 'empty' | 'number' | 'true' | 'false' | 'null';
  readonly text: string;
}

/** A computed trait. */
export interface ComputationDraft {
  readonly compute: ComputeName;
  /** Used by every computation except `count`. */
  readonly property: string;
  readonly event: SelectionDraft;
  readonly during: PeriodDraft;
}

/** The number of days in a new period. */
export const DAYS = '30';

export function newScalar(): ScalarDraft {
  return { key: randomId(), type: 'text', text: '' };
}

export function newTest(): TestDraft {
  return { name: 'equals', values: [newScalar()] };
}

export function newWhere(): WhereDraft {
  return { key: randomId(), property: '', is: newTest() };
}

export function newSelection(): SelectionDraft {
  return { type: null, name: '', where: [] };
}

export function newCondition(): Draft & EventDraft {
  return { key: randomId(), negations: 0, kind: 'event', event: newSelection(), count: null, during: { kind: 'ever' } };
}

export function newField(): Draft {
  return { key: randomId(), negations: 0, kind: 'field', name: 'event', is: newTest() };
}

export function newGroup(of: 'all' | 'any', parts: readonly Draft[]): Draft {
  return { key: randomId(), negations: 0, kind: 'group', of, parts };
}

export function newComputation(): ComputationDraft {
  return { compute: 'sum', property: '', event: newSelection(), during: { kind: 'ever' } };
}
