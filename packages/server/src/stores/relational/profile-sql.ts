import type { Test } from '../../core/value-test.ts';
import type { Persons } from '../../people/contract.ts';
import type { Kind, PersonEvent } from '../../people/person.ts';
import { StoredEvent } from '../../people/person-draft.ts';
import type { Where } from '../../people/selection.ts';
import type { ProfileWords } from './profile-words.ts';
import { type Json, list, type Statement, sql } from './sql.ts';

/**
 * The tables of the profiles that both databases read in the same way. Each is a table name, or a query in parentheses if a
 * database stores the rows differently. A statement gives each an alias. sqlite/people-schema.ts and postgres/profile-schema.ts
 * describe their content.
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

/** Definitions by number. */
export type NumberedDefinitions = ReadonlyMap<number, NumberedDefinition>;

export interface NumberedDefinition {
  readonly number: number;
  readonly id: string;
  readonly audience: boolean;
}

/** Of the values of a trait, the later one wins. If the times are equal, the higher position wins. */
export const LATER_COUNTS = `UPDATE SET value = excluded.value, at = excluded.at, position = excluded.position
  WHERE (excluded.at, excluded.position) > (t.at, t.position)`;

/** How `put` adds rows to a table `t`: the columns, the key, and what is done if there is a row with the same key. */
export const PUT: Readonly<
  Record<keyof PutRows, { readonly columns: string; readonly key: string; readonly action: string }>
> = {
  sources: { columns: 'id, position', key: 'id', action: 'UPDATE SET position = excluded.position' },
  identities: {
    ...{ columns: 'id, person, since, aliased', key: 'id' },
    action: 'UPDATE SET person = excluded.person, since = excluded.since, aliased = excluded.aliased',
  },
  persons: {
    ...{ columns: 'person, user_id', key: 'person' },
    action: 'UPDATE SET user_id = excluded.user_id WHERE t.user_id IS DISTINCT FROM excluded.user_id',
  },
  unjoined: {
    ...{ columns: 'person, id, source, why, at', key: 'person, id' },
    action: 'UPDATE SET source = excluded.source, why = excluded.why, at = excluded.at WHERE excluded.at >= t.at',
  },
  traits: { columns: 'person, name, value, at, position', key: 'person, name', action: LATER_COUNTS },
  groupTraits: { columns: 'grp, name, value, at, position', key: 'grp, name', action: LATER_COUNTS },
  seen: { columns: 'person, source', key: 'person, source', action: 'NOTHING' },
  memberships: { columns: 'person, grp', key: 'person, grp', action: 'NOTHING' },
  events: {
    ...{ columns: 'person, at, message_id, kind, properties', key: 'person, at, message_id' },
    action: 'NOTHING',
  },
};

/** The rows that `put` adds, by table, with the columns of `PUT`. */
export interface PutRows {
  readonly sources: readonly [id: string, position: number];
  readonly identities: readonly [id: string, person: number, since: number | null, aliased: number | null];
  readonly persons: readonly [person: number, userId: string | null];
  readonly unjoined: readonly [person: number, id: string, source: string, why: string, at: number];
  readonly traits: readonly [person: number, name: number, value: Json, at: number, position: number];
  readonly groupTraits: readonly [grp: number, name: number, value: Json, at: number, position: number];
  readonly seen: readonly [person: number, source: string];
  readonly memberships: readonly [person: number, grp: number];
  readonly events: readonly [person: number, at: number, messageId: string, kind: number, properties: Json];
}

/** By number of definition. */
type ByNumber<V> = Iterable<readonly [definition: number, of: V]>;

/** What was decided of a person: values as JSON, `true` for a member of an audience; and when to decide again. */
export interface Decided {
  readonly person: number;
  readonly held: ByNumber<string>;
  readonly dues: ByNumber<number>;
}

/** The profiles of a database, for the common reader and writer. Parts of statements can be inserted into other statements. */
export interface ProfileSql {
  readonly tables: ProfileTables;
  /** The column that contains a document. */
  readonly document: Statement;

  read<Row extends object>(statement: Statement): Promise<Row[]>;
  /** The same with rows as arrays: for thousands of rows, objects would take SQLite twice the time. */
  readArrays<Row extends readonly unknown[]>(statement: Statement): Promise<Row[]>;
  /** Adds rows. `PUT` says which row wins if two have the same key. `rows` must not contain a key twice if a new row changes a stored one. */
  put<T extends keyof PutRows>(table: T, rows: readonly PutRows[T][]): Promise<void>;

  /** Converts text from its stored form to the original. */
  fromText(text: string): string;
  /** The value under a definition, from the column `value` of the table `values`. */
  heldValue(stored: string, definition: number): string;

  /** A table of pairs with the columns `ending` and `staying`. The statement gives it an alias. */
  pairs(pairs: readonly (readonly [ending: number, staying: number])[]): Statement;
  /** Keeps the database from using the index of this column: the rows of one person lie together under another key. */
  beside(column: Statement): Statement;
  /** Whether a numeric column has one of these numbers. */
  among(column: Statement, numbers: readonly number[]): Statement;
  /** Whether a row of `identities` or `unjoined` has one of these ids. */
  amongIds(ids: readonly string[]): Statement;
  /** Whether a row of `told` or `outbox` belongs to one of these users. */
  amongUsers(userIds: readonly string[]): Statement;
  /** Selects the rows of `identities` whose ids are equal to or after a text, in the order of the ids. */
  idsFrom(text: string): Statement;
  /** Whether a column contains a text; ASCII letters match in upper and lower case. */
  contains(column: Statement, text: string): Statement;
  /** Selects persons, names and values of traits with these names, whose values begin with a part of JSON (see `findNames` in people/contract.ts). */
  naming(names: readonly number[], prefix: Json, limit: number): Statement;

  /** Whether a value, as JSON, passes a test now, or the properties of an event pass all tests. Null if SQL can't decide. */
  passes(value: Statement, is: Test, now: number): Statement | null;
  fits(properties: Statement, where: Where, now: number): Statement | null;

  /** Names of traits, ids of groups and definitions. */
  readonly words: ProfileWords<string>;
  readonly kinds: ProfileWords<Kind>;
  /** What was decided of persons, at least under the definitions with these numbers. */
  decided(persons: Persons, definitions: readonly number[]): Promise<Iterable<Decided>>;
  /** The values sent last for user ids, at least under the definitions with these numbers. */
  told(
    userIds: readonly string[],
    definitions: readonly number[],
  ): Promise<Iterable<readonly [userId: string, values: ByNumber<string>]>>;
  lastPerson(): Promise<number>;
  outboxSize(): Promise<number>;
  rebuilding(): Promise<boolean>;
}

/**
 * Whether an event `e` is of one of these kinds; a kind without a name stands for all names of its type. Null if no event can
 * be. For such a kind the event's type is looked up, because the names of a type may outnumber all events of a person: a
 * stranger with a public write key can invent names.
 */
export async function isOfKinds(
  kinds: readonly Kind[],
  { tables, among, ...profiles }: Pick<ProfileSql, 'tables' | 'among' | 'kinds'>,
): Promise<Statement | null> {
  const named = kinds.filter(({ name }) => name !== null);
  const types = kinds.filter(({ name }) => name === null).map(({ type }) => type);
  const typeOf = sql`(SELECT k.type FROM ${tables.kinds} AS k WHERE k.number = e.kind)`;
  const numbers = await kindNumbers(named, profiles);
  // The `+ 0` keeps the database from the index of kinds: the events of one person lie together in the other index.
  const isNamed = numbers.length === 0 ? null : among(sql`e.kind + 0`, numbers);
  const isOfType = types.length === 0 ? null : sql`${typeOf} IN (${list(types)})`;
  return isNamed && isOfType ? sql`(${isNamed} OR ${isOfType})` : (isNamed ?? isOfType);
}

/**
 * The numbers of a kind of events. A kind without a name has at most `most`: if there are more, half are the newest and half
 * the oldest, because names that a stranger invents must not hide older ones.
 */
export async function numbersOfKind(
  { type, name }: Kind,
  most: number,
  { tables, read, ...profiles }: Pick<ProfileSql, 'tables' | 'read' | 'kinds'>,
): Promise<readonly number[]> {
  if (name !== null) return kindNumbers([{ type, name }], profiles);
  const half = (order: Statement): Statement => sql`SELECT * FROM (SELECT number FROM ${tables.kinds} AS k
    WHERE type = ${type} ORDER BY number ${order} LIMIT ${most / 2}) AS half`;
  const rows = await read<{ number: number }>(sql`${half(sql`DESC`)} UNION ${half(sql`ASC`)}`);
  return rows.map(({ number }) => number);
}

/** Kinds that no row has are left out. */
async function kindNumbers(some: readonly Kind[], { kinds }: Pick<ProfileSql, 'kinds'>): Promise<readonly number[]> {
  const numberOf = await kinds.known(some);
  return some.map(numberOf).filter((number) => number !== undefined);
}

type EventRow = readonly [person: number, at: number, messageId: string, kind: number, properties: string];

/** Passes each selected event of the table `e` to `take`, with its person. `selected` is a condition and an order. */
export async function eachEvent(
  { readArrays, tables, kinds, fromText }: ProfileSql,
  selected: Statement,
  take: (event: PersonEvent, person: number) => void,
): Promise<void> {
  const rows = await readArrays<EventRow>(
    sql`SELECT person, at, message_id, kind, properties FROM ${tables.events} AS e WHERE ${selected}`,
  );
  const kindOf = await kinds.of(rows.map(([, , , kind]) => kind));
  for (const [person, at, messageId, kind, properties] of rows)
    take(new StoredEvent(at, kindOf(kind), fromText(messageId), properties), person);
}
