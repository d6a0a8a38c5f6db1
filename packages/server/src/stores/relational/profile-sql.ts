import type { Test } from '../../core/value-test.ts';
import type { PersonState, Persons } from '../../people/contract.ts';
import type { Kind, PersonEvent } from '../../people/person.ts';
import type { Where } from '../../people/selection.ts';
import { type Json, list, type Statement, sql } from './sql.ts';

/**
 * The tables of the profiles that both databases read alike: a name, or a query in parentheses where a database keeps it
 * otherwise. A statement gives each an alias. What they hold is said in sqlite/people-schema.ts and postgres/profile-schema.ts.
 */
export type ProfileTables = Readonly<
  Record<
    | 'sources' // id, position
    | 'ownSources' // id
    | 'identities' // id, person, since, aliased
    | 'seen' // person, source
    | 'unjoined' // person, id, source, why, at
    | 'persons' // person, user_id
    | 'traits' // person, name, value, at
    | 'memberships' // person, grp
    | 'groupTraits' // grp, name, value
    | 'kinds' // number, type, name
    | 'events' // person, at, message_id, kind, properties
    | 'definitions' // number, id, audience, size, sent_at; and `document`
    | 'values' // definition, person, since, value
    | 'dues' // person, at, dues
    | 'outbox' // id, definition, user_id, value, at
    | 'sizes' // definition, hour, size
    | 'told' // what `amongUsers` asks of
    | 'erasures' // id; and `document`
    | 'erased', // person
    Statement
  >
>;

/** Definitions by their numbers. */
export type NumberedDefinitions = ReadonlyMap<number, NumberedDefinition>;

export interface NumberedDefinition {
  readonly number: number;
  readonly id: string;
  readonly audience: boolean;
}

/** What an upsert does with the value of a trait in a table `t`: of values with equal times the one with the higher position counts. */
export const LATER_COUNTS = `UPDATE SET value = excluded.value, at = excluded.at, position = excluded.position
  WHERE (excluded.at, excluded.position) > (t.at, t.position)`;

/** Rows that are added, by their table. */
export interface PutRows {
  /** The new one counts. */
  readonly sources: readonly [id: string, position: number];
  readonly identities: readonly [id: string, person: number, since: number | null, aliased: number | null];
  readonly persons: readonly [person: number, userId: string | null];
  /** The newer one counts. */
  readonly unjoined: readonly [person: number, id: string, source: string, why: string, at: number];
  /** `LATER_COUNTS`. */
  readonly traits: readonly [person: number, name: number, value: Json, at: number, position: number];
  readonly groupTraits: readonly [grp: number, name: number, value: Json, at: number, position: number];
  /** The one that is there counts. */
  readonly seen: readonly [person: number, source: string];
  readonly memberships: readonly [person: number, grp: number];
  readonly events: readonly [person: number, at: number, messageId: string, kind: number, properties: Json];
}

/** A database of profiles, as its reader and its writer see it. Parts of statements may be inserted into others. */
export interface ProfileSql {
  readonly tables: ProfileTables;
  /** The column that has a document. */
  readonly document: Statement;

  read<Row extends object>(statement: Statement): Promise<Row[]>;
  /** The first rows of a statement, which gives the highest `by` first, up to the one whose `value` makes it so many characters altogether. */
  readUpTo<Row extends { readonly value: string }>(
    newest: Statement,
    by: Statement,
    characters: number,
  ): Promise<Row[]>;

  /** Adds rows. Of two with the same key `PutRows` says which counts; those that a new one changes must not come twice. */
  put<T extends keyof PutRows>(table: T, rows: readonly PutRows[T][]): Promise<void>;

  /** Text as it was given, of the form that it is stored in. */
  fromText(text: string): string;
  /** The value under a definition, of what `values` has as `value`. */
  heldValue(stored: string, definition: number): string;

  /** A table of pairs, with the columns `ending` and `staying`; to be given an alias. */
  pairs(pairs: readonly (readonly [ending: number, staying: number])[]): Statement;
  /** A column whose index the database must not use: the rows of one person lie together under another key. */
  beside(column: Statement): Statement;
  /** Whether a column of numbers has one of these. */
  among(column: Statement, numbers: readonly number[]): Statement;
  /** Whether a row of `identities` or `unjoined` has one of these ids. */
  amongIds(ids: readonly string[]): Statement;
  /** Whether a row of `told` or `outbox` is of one of these users. */
  amongUsers(userIds: readonly string[]): Statement;
  /** Narrows `identities` to the ids from a text on, and puts them in their order. */
  idsFrom(text: string): Statement;
  /** Whether a column contains a text, in any case of ASCII letters. */
  contains(column: Statement, text: string): Statement;
  /** Persons, names and values of traits of these names whose values begin with a part of JSON (contract of `findNames`). */
  naming(names: readonly number[], prefix: Json, limit: number): Statement;

  /** Whether a value passes a test now, as JSON, or the properties of an event pass all; null where only the predicate can tell. */
  passes(value: Statement, is: Test, now: number): Statement | null;
  fits(properties: Statement, where: Where, now: number): Statement | null;

  /** The numbers of words; undefined for one that no row has. */
  wordNumbers(texts: readonly string[]): Promise<(text: string) => number | undefined>;
  /** The numbers of words, and of kinds of events; one that is new gets one. */
  makeWords(texts: readonly string[]): Promise<(text: string) => number>;
  makeKinds(kinds: readonly Kind[]): Promise<(kind: Kind) => number>;
  /** The words of numbers; empty for one that is gone. */
  wordTexts(numbers: readonly number[]): Promise<(number: number) => string>;
  /** The numbers of kinds of events that have a name; none for one that no row has. */
  kindNumbers(kinds: readonly Kind[]): Promise<readonly number[]>;
  /**
   * Hands out events, of a table `e`, that a condition and an order select, each with its person; a database of this process while it
   * reads them.
   */
  eachEvent(selected: Statement, take: (event: PersonEvent, person: number) => void): Promise<void>;
  /** The newest events of each of these kinds after a time, up to another, both exact. */
  newestOf(
    kinds: readonly number[],
    since: number,
    upTo: number,
    limit: number,
  ): Promise<readonly { readonly person: number; readonly at: number }[]>;

  /** See ProfileReader; `definitions` are those that are asked for. */
  states(persons: Persons, definitions: NumberedDefinitions): Promise<ReadonlyMap<number, PersonState>>;
  lastTold(
    userIds: readonly string[],
    definitions: NumberedDefinitions,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>>;
  lastPerson(): Promise<number>;
  outboxSize(): Promise<number>;
  rebuilding(): Promise<boolean>;
}

/**
 * Whether an event `e` is of one of these kinds; of any name of a type where the name is null. The type of an event is looked
 * up: the names of a type may be more than all events of a person, because a stranger with a public write key can invent names. Null
 * where none can be.
 */
export async function isOfKinds(
  kinds: readonly Kind[],
  { tables, among, kindNumbers }: Pick<ProfileSql, 'tables' | 'among' | 'kindNumbers'>,
): Promise<Statement | null> {
  const named = kinds.filter(({ name }) => name !== null);
  const types = kinds.filter(({ name }) => name === null).map(({ type }) => type);
  const typeOf = sql`(SELECT k.type FROM ${tables.kinds} AS k WHERE k.number = e.kind)`;
  const numbers = await kindNumbers(named);
  // The sum keeps the database from the index of kinds: what one person did lies together in the other one.
  const isNamed = numbers.length === 0 ? null : among(sql`e.kind + 0`, numbers);
  const isOfType = types.length === 0 ? null : sql`${typeOf} IN (${list(types)})`;
  return isNamed && isOfType ? sql`(${isNamed} OR ${isOfType})` : (isNamed ?? isOfType);
}

/**
 * Numbers of a kind of events. Of any name those of so many names, where there are more half of them the newest and half the
 * oldest: names that a stranger invents must not hide those that were there before.
 */
export async function numbersOfKind(
  { type, name }: Kind,
  most: number,
  { tables, read, kindNumbers }: Pick<ProfileSql, 'tables' | 'read' | 'kindNumbers'>,
): Promise<readonly number[]> {
  if (name !== null) return kindNumbers([{ type, name }]);
  const half = (order: Statement): Statement => sql`SELECT * FROM (SELECT number FROM ${tables.kinds} AS k
    WHERE type = ${type} ORDER BY number ${order} LIMIT ${most / 2}) AS half`;
  const rows = await read<{ number: number }>(sql`${half(sql`DESC`)} UNION ${half(sql`ASC`)}`);
  return rows.map(({ number }) => number);
}
