import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Needs, PersonRecord } from '../../people/contract.ts';
import { readDues } from '../../people/dues.ts';
import type { PersonEvent } from '../../people/person.ts';
import { PersonDraft, StoredEvent } from '../../people/person-draft.ts';
import type { PeopleNumbers } from './people-numbers.ts';

/** Ids of definitions by their numbers. */
export type DefinitionNames = ReadonlyMap<number, string>;

type Column = string | number | null;

/** Which persons a statement is asked for, by the column of their numbers. */
type Scope = (column: string) => string;
const listed: Scope = (column) => `${column} IN (SELECT value FROM json_each(?))`;
const within: Scope = (column) => `${column} > ? AND ${column} <= ?`;

/** Statements that are kept prepared; their texts change only with the definitions. */
const PREPARED = 200;

/** Reads persons from `people.db`, no more of each than is needed. */
export class ProfileRecords {
  readonly #db: DatabaseSync;
  readonly #numbers: PeopleNumbers;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync, numbers: PeopleNumbers) {
    this.#db = db;
    this.#numbers = numbers;
  }

  load(persons: readonly number[], needs: Needs, now: number, definitions: DefinitionNames): PersonRecord[] {
    const list = JSON.stringify(persons);
    const statement = this.#prepare(`SELECT id, user_id FROM person WHERE ${listed('id')}`);
    const drafts = new Map<number, PersonDraft>();
    for (const [id, userId] of rowsOf(statement, [list])) {
      drafts.set(id as number, new PersonDraft(id as number, userId as string | null));
    }
    return this.#fill(drafts, listed, [list], needs, now, definitions);
  }

  page(after: number, limit: number, needs: Needs, now: number, definitions: DefinitionNames): PersonRecord[] {
    const persons = this.#prepare('SELECT id, user_id FROM person WHERE id > ? ORDER BY id LIMIT ?');
    const drafts = new Map<number, PersonDraft>();
    let last = after;
    for (const [id, userId] of rowsOf(persons, [after, limit])) {
      last = id as number;
      drafts.set(last, new PersonDraft(last, userId as string | null));
    }
    return drafts.size === 0 ? [] : this.#fill(drafts, within, [after, last], needs, now, definitions);
  }

  events(person: number, limit: number): PersonEvent[] {
    const statement = this.#prepare(
      'SELECT at, message_id, kind, properties FROM event WHERE person = ? ORDER BY at DESC, message_id DESC LIMIT ?',
    );
    return [...rowsOf(statement, [person, limit])].map((row) => this.#event(row));
  }

  #fill(
    drafts: ReadonlyMap<number, PersonDraft>,
    scope: Scope,
    bounds: readonly (string | number)[],
    needs: Needs,
    now: number,
    definitions: DefinitionNames,
  ): PersonRecord[] {
    const each = (
      select: string,
      more: readonly number[],
      use: (draft: PersonDraft, row: readonly Column[]) => void,
    ): void => {
      for (const row of rowsOf(this.#prepare(select), [...bounds, ...more])) {
        const draft = drafts.get(row[0] as number);
        if (draft) use(draft, row);
      }
    };
    const traits = needs.traits === 'all' ? 'name' : this.#traitNumbers(needs.traits);
    if (traits !== '') {
      each(
        `SELECT person, name, value, at FROM trait WHERE ${scope('person')} AND +name IN (${traits})`,
        [],
        (draft, [, name, value, at]) =>
          draft.addTrait(this.#numbers.text(name as number), JSON.parse(value as string), at as number),
      );
    }
    if (needs.groupTraits === 'all' || needs.groupTraits.size > 0) {
      each(`SELECT person, grp FROM membership WHERE ${scope('person')}`, [], (draft, [, group]) =>
        draft.addGroup(this.#numbers.text(group as number), this.#groupTraits(group as number, needs)),
      );
    }
    const { always, lately, since } = this.#kinds(needs, now);
    if (always !== '' || lately !== '') {
      each(
        `SELECT person, at, message_id, kind, properties FROM event
         WHERE ${scope('person')} AND ${always === '' ? `at >= ? AND +kind IN (${lately})` : `(+kind IN (${always}) OR (+at >= ? AND +kind IN (${lately})))`}
         ORDER BY person, at, message_id`,
        [since],
        (draft, [, ...row]) => draft.addEvent(this.#event(row)),
      );
    }
    const decided = (column: string): string => {
      const { decided: wanted } = needs;
      if (wanted === 'all') return '';
      const numbers = [...definitions].flatMap(([number, id]) => (wanted.has(id) ? [number] : []));
      return `AND ${column} IN (${numbersOf(numbers)})`;
    };
    each(
      `SELECT person, audience FROM in_audience WHERE ${scope('person')} ${decided('+audience')}`,
      [],
      (draft, [, audience]) => {
        const id = definitions.get(audience as number);
        if (id !== undefined) draft.addAudience(id);
      },
    );
    each(
      `SELECT person, definition, value FROM computed WHERE ${scope('person')} ${decided('+definition')}`,
      [],
      (draft, [, definition, value]) => {
        const id = definitions.get(definition as number);
        if (id !== undefined) draft.addValue(id, value as string);
      },
    );
    each(`SELECT person, dues FROM due WHERE ${scope('person')}`, [], (draft, [, dues]) => {
      for (const [definition, at] of readDues(dues as string)) {
        const id = definitions.get(definition);
        if (id === undefined || (needs.decided !== 'all' && !needs.decided.has(id))) continue;
        draft.addDue(id, at);
      }
    });
    each(
      `SELECT p.id, t.definition, t.value FROM person p CROSS JOIN told t ON t.user_id = p.user_id
       WHERE ${scope('p.id')} ${decided('t.definition')}`,
      [],
      (draft, [, definition, value]) => {
        const id = definitions.get(definition as number);
        if (id !== undefined) draft.addTold(id, value as string);
      },
    );
    return [...drafts.values()];
  }

  #traitNumbers(names: ReadonlySet<string>): string {
    return numbersOf([...names].map((name) => this.#numbers.knownWord(name)));
  }

  #groupTraits(group: number, needs: Needs): ReadonlyMap<string, unknown> {
    const traits = new Map<string, unknown>();
    const statement = this.#prepare('SELECT name, value FROM group_trait WHERE grp = ?');
    for (const [number, value] of rowsOf(statement, [group])) {
      const name = this.#numbers.text(number as number);
      if (needs.groupTraits === 'all' || needs.groupTraits.has(name)) traits.set(name, JSON.parse(value as string));
    }
    return traits;
  }

  /** Numbers of the kinds that are needed for all time, and of those that are needed since a time. */
  #kinds(needs: Needs, now: number): { always: string; lately: string; since: number } {
    const always: (number | string | null)[] = [];
    const lately: (number | string | null)[] = [];
    let longest = 0;
    for (const { type, name, lookBack } of needs.events) {
      const number =
        name === null ? `SELECT id FROM kind WHERE type = '${type}'` : this.#numbers.knownKind({ type, name });
      (lookBack === Infinity ? always : lately).push(number);
      if (lookBack !== Infinity) longest = Math.max(longest, lookBack);
    }
    return { always: numbersOf(always), lately: numbersOf(lately), since: now - longest };
  }

  #event([at, messageId, kind, properties]: readonly Column[]): PersonEvent {
    return new StoredEvent(at as number, this.#numbers.kind(kind as number), messageId as string, properties as string);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= PREPARED) this.#statements.clear();
      statement = this.#db.prepare(sql);
      statement.setReturnArrays(true);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

function rowsOf(statement: StatementSync, args: readonly Column[]): Iterable<readonly Column[]> {
  return statement.iterate(...args) as unknown as Iterable<readonly Column[]>;
}

/** A list for `IN`, empty where nothing is known by these numbers. */
function numbersOf(numbers: readonly (number | string | null)[]): string {
  const parts = numbers.filter((number) => number !== null);
  const plain = parts.filter((part) => typeof part === 'number');
  const selects = parts.filter((part) => typeof part === 'string');
  if (selects.length === 0) return plain.join(', ');
  return [...selects, ...plain.map((number) => `SELECT ${number}`)].join(' UNION ALL ');
}
