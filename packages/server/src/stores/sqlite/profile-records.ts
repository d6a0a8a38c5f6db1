import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { JsonObject } from '../../core/json.ts';
import type { Needs, PersonRecord } from '../../people/contract.ts';
import type { PersonEvent, TraitValue } from '../../people/person.ts';
import type { Kind, PeopleNumbers } from './people-numbers.ts';
import { readDues } from './person-dues.ts';

/** Ids of definitions by their numbers. */
export type DefinitionNames = ReadonlyMap<number, string>;

type Column = string | number | null;

/** A person while they are read: the rows of one table after the other. What has none stays `NONE`: most have little. */
interface Draft {
  readonly id: number;
  readonly userId: string | null;
  readonly person: {
    traits: ReadonlyMap<string, TraitValue>;
    groups: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
    readonly events: PersonEvent[];
    audiences: ReadonlySet<string>;
  };
  values: ReadonlyMap<string, string>;
  due: ReadonlyMap<string, number>;
  told: ReadonlyMap<string, string>;
}

const NONE: ReadonlyMap<never, never> = new Map<never, never>();
const NOWHERE: ReadonlySet<never> = new Set();

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
    const drafts = new Map<number, Draft>();
    for (const [id, userId] of rowsOf(statement, [list])) {
      drafts.set(id as number, draftOf(id as number, userId as string | null));
    }
    return this.#fill(drafts, listed, [list], needs, now, definitions);
  }

  page(after: number, limit: number, needs: Needs, now: number, definitions: DefinitionNames): PersonRecord[] {
    const persons = this.#prepare('SELECT id, user_id FROM person WHERE id > ? ORDER BY id LIMIT ?');
    const drafts = new Map<number, Draft>();
    let last = after;
    for (const [id, userId] of rowsOf(persons, [after, limit])) {
      last = id as number;
      drafts.set(last, draftOf(last, userId as string | null));
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
    drafts: ReadonlyMap<number, Draft>,
    scope: Scope,
    bounds: readonly (string | number)[],
    needs: Needs,
    now: number,
    definitions: DefinitionNames,
  ): PersonRecord[] {
    const each = (
      select: string,
      more: readonly number[],
      use: (draft: Draft, row: readonly Column[]) => void,
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
        ({ person }, [, name, value, at]) => {
          const trait = { value: JSON.parse(value as string) as unknown, at: at as number };
          person.traits = added(person.traits, this.#numbers.text(name as number), trait);
        },
      );
    }
    if (needs.groupTraits === 'all' || needs.groupTraits.size > 0) {
      each(`SELECT person, grp FROM membership WHERE ${scope('person')}`, [], ({ person }, [, group]) => {
        const traits = this.#groupTraits(group as number, needs);
        person.groups = added(person.groups, this.#numbers.text(group as number), traits);
      });
    }
    const { always, lately, since } = this.#kinds(needs, now);
    if (always !== '' || lately !== '') {
      each(
        `SELECT person, at, message_id, kind, properties FROM event
         WHERE ${scope('person')} AND ${always === '' ? `at >= ? AND +kind IN (${lately})` : `(+kind IN (${always}) OR (+at >= ? AND +kind IN (${lately})))`}
         ORDER BY person, at, message_id`,
        [since],
        ({ person }, [, ...row]) => person.events.push(this.#event(row)),
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
      ({ person }, [, audience]) => {
        const id = definitions.get(audience as number);
        if (id === undefined) return;
        if (person.audiences === NOWHERE) person.audiences = new Set<string>().add(id);
        else (person.audiences as Set<string>).add(id);
      },
    );
    each(
      `SELECT person, definition, value FROM computed WHERE ${scope('person')} ${decided('+definition')}`,
      [],
      (draft, [, definition, value]) => {
        const id = definitions.get(definition as number);
        if (id !== undefined) draft.values = added(draft.values, id, value as string);
      },
    );
    each(`SELECT person, dues FROM due WHERE ${scope('person')}`, [], (draft, [, dues]) => {
      for (const [definition, at] of readDues(dues)) {
        const id = definitions.get(definition);
        if (id === undefined || (needs.decided !== 'all' && !needs.decided.has(id))) continue;
        draft.due = added(draft.due, id, at);
      }
    });
    each(
      `SELECT p.id, t.definition, t.value FROM person p CROSS JOIN told t ON t.user_id = p.user_id
       WHERE ${scope('p.id')} ${decided('t.definition')}`,
      [],
      (draft, [, definition, value]) => {
        const id = definitions.get(definition as number);
        if (id !== undefined) draft.told = added(draft.told, id, value as string);
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

/** Most conditions ask for no properties: their JSON is read where one does. */
class StoredEvent implements PersonEvent {
  readonly at: number;
  readonly messageId: string;
  readonly #kind: Kind;
  readonly #json: string;
  #properties: JsonObject | undefined;

  constructor(at: number, kind: Kind, messageId: string, json: string) {
    this.at = at;
    this.messageId = messageId;
    this.#kind = kind;
    this.#json = json;
  }

  get type(): Kind['type'] {
    return this.#kind.type;
  }

  get name(): string | null {
    return this.#kind.name;
  }

  get properties(): JsonObject {
    this.#properties ??= JSON.parse(this.#json) as JsonObject;
    return this.#properties;
  }
}

function draftOf(id: number, userId: string | null): Draft {
  return {
    id,
    userId,
    person: { traits: NONE, groups: NONE, events: [], audiences: NOWHERE },
    values: NONE,
    due: NONE,
    told: NONE,
  };
}

/** The map with one more entry; another one only where it is `NONE`. */
function added<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return map === NONE ? new Map([[key, value]]) : (map as Map<K, V>).set(key, value);
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
