import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import type { EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import { mayHave, readNumberMap } from '../../people/number-map.ts';
import type { PersonEvent } from '../../people/person.ts';
import { draftIn, FactsDraft, StateDraft, StoredEvent } from '../../people/person-draft.ts';
import type { NumberedDefinitions } from '../relational/profile-definitions.ts';
import type { PersonRecords } from '../relational/profile-parts.ts';
import type { PeopleNumbers } from './people-numbers.ts';

type Column = string | number | null;

/** Of so few definitions it is worth a look whether a row has them before it is read: what is new is in none of a million. */
const FEW = 4;

/** Statements that are kept prepared; their texts change only with the definitions. */
const PREPARED = 200;

/** Reads persons from `people.db`, no more of each than is needed. */
export class SqlitePersonRecords implements PersonRecords {
  readonly #numbers: PeopleNumbers;
  readonly #statement: (text: string) => StatementSync;

  constructor(db: DatabaseSync, numbers: PeopleNumbers) {
    this.#numbers = numbers;
    this.#statement = memo(PREPARED, (text) => {
      const statement = db.prepare(text);
      statement.setReturnArrays(true);
      return statement;
    });
  }

  states(persons: Persons, definitions: NumberedDefinitions): Map<number, PersonState> {
    const { where, bounds } = scopeOf(persons);
    const states = new Map<number, PersonState>();
    const few = fewOf(definitions);
    for (const [person, dues, held] of this.#rows(`SELECT person, dues, held FROM state WHERE ${where}`, bounds)) {
      if (few && !mayHave(dues as string, few) && !mayHave(held as string, few)) continue;
      states.set(person as number, stateOf(dues as string, held as string, definitions));
    }
    return states;
  }

  facts(persons: Persons, needs: Needs, now: number): Map<number, PersonFacts> {
    const { where, bounds } = scopeOf(persons);
    const drafts = new Map<number, FactsDraft>();
    const draftOf = (person: Column | undefined): FactsDraft =>
      draftIn(drafts, person as number, () => new FactsDraft());
    const traits = needs.traits === 'all' ? 'name' : this.#traitNumbers(needs.traits);
    if (traits !== '') {
      const sql = `SELECT person, name, value, at FROM trait WHERE ${where} AND +name IN (${traits})`;
      for (const [person, name, value, at] of this.#rows(sql, bounds)) {
        draftOf(person).addTrait(this.#numbers.text(name as number), JSON.parse(value as string), at as number);
      }
    }
    if (needs.groupTraits.size > 0) {
      const names = this.#traitNumbers(needs.groupTraits);
      // A group that several of these persons belong to is read once.
      const groups = new Map<number, ReadonlyMap<string, unknown>>();
      for (const [person, grp] of this.#rows(`SELECT person, grp FROM membership WHERE ${where}`, bounds)) {
        const group = grp as number;
        draftOf(person).addGroup(
          this.#numbers.text(group),
          draftIn(groups, group, () => this.#groupTraits(group, names)),
        );
      }
    }
    const { always, lately, since } = this.#kinds(needs, now);
    if (always !== '' || lately !== '') {
      const wanted =
        always === '' ? `at >= ? AND ${lately}` : `(${always} OR (+at >= ? AND ${lately === '' ? 'FALSE' : lately}))`;
      const sql = `SELECT person, at, message_id, kind, properties FROM event
        WHERE ${where} AND ${wanted} ORDER BY person, at, message_id`;
      for (const [person, ...row] of this.#rows(sql, [...bounds, since])) {
        draftOf(person).events.push(this.#event(row));
      }
    }
    return drafts;
  }

  lastTold(userIds: readonly string[], definitions: NumberedDefinitions): Map<string, ReadonlyMap<string, string>> {
    const sql = 'SELECT user_id, told FROM told WHERE user_id IN (SELECT value FROM json_each(?))';
    const told = new Map<string, ReadonlyMap<string, string>>();
    const few = fewOf(definitions);
    for (const [userId, json] of this.#rows(sql, [JSON.stringify(userIds)])) {
      if (few && !mayHave(json as string, few)) continue;
      const values = new Map<string, string>();
      for (const [number, value] of readNumberMap<string>(json as string)) {
        const definition = definitions.get(number);
        if (definition) values.set(definition.id, value);
      }
      told.set(userId as string, values);
    }
    return told;
  }

  events(person: number, limit: number, before: EventPlace | null): PersonEvent[] {
    const sql = `SELECT at, message_id, kind, properties FROM event WHERE person = ? AND (at, message_id) < (?, ?)
      ORDER BY at DESC, message_id DESC LIMIT ?`;
    const { at, messageId } = before ?? { at: Number.MAX_SAFE_INTEGER, messageId: '' };
    return Array.from(this.#rows(sql, [person, at, messageId, limit]), (row) => this.#event(row));
  }

  #traitNumbers(names: ReadonlySet<string>): string {
    return numbersOf([...names].map((name) => this.#numbers.knownWord(name)));
  }

  #groupTraits(group: number, names: string): ReadonlyMap<string, unknown> {
    const traits = new Map<string, unknown>();
    if (names === '') return traits;
    const sql = `SELECT name, value FROM group_trait WHERE grp = ? AND name IN (${names})`;
    for (const [name, value] of this.#rows(sql, [group])) {
      traits.set(this.#numbers.text(name as number), JSON.parse(value as string));
    }
    return traits;
  }

  /** Whether an event is of a kind that is needed for all time, and of one that is needed since a time; empty for none. */
  #kinds(needs: Needs, now: number): { always: string; lately: string; since: number } {
    const always: (number | string | null)[] = [];
    const lately: (number | string | null)[] = [];
    let longest = 0;
    for (const { type, name, lookBack } of needs.events) {
      const kind = name === null ? `'${type}'` : this.#numbers.knownKind({ type, name });
      (lookBack === Infinity ? always : lately).push(kind);
      if (lookBack !== Infinity) longest = Math.max(longest, lookBack);
    }
    return { always: isOneOf(always), lately: isOneOf(lately), since: now - longest };
  }

  #event([at, messageId, kind, properties]: readonly Column[]): PersonEvent {
    return new StoredEvent(at as number, this.#numbers.kind(kind as number), messageId as string, properties as string);
  }

  #rows(sql: string, args: readonly Column[]): Iterable<readonly Column[]> {
    return this.#statement(sql).iterate(...args) as unknown as Iterable<readonly Column[]>;
  }
}

/** Null where they are too many to look for. */
function fewOf(definitions: NumberedDefinitions): readonly number[] | null {
  return definitions.size <= FEW ? [...definitions.keys()] : null;
}

function scopeOf(persons: Persons): { where: string; bounds: readonly (string | number)[] } {
  return 'after' in persons
    ? { where: 'person > ? AND person <= ?', bounds: [persons.after, persons.upTo] }
    : { where: 'person IN (SELECT value FROM json_each(?))', bounds: [JSON.stringify(persons)] };
}

function stateOf(dues: string, held: string, definitions: NumberedDefinitions): PersonState {
  const state = new StateDraft();
  for (const [number, at] of readNumberMap<number>(dues)) {
    const definition = definitions.get(number);
    if (definition) state.addDue(definition.id, at);
  }
  for (const [number, value] of readNumberMap<string>(held)) {
    const definition = definitions.get(number);
    if (definition) state.addValue(definition, value);
  }
  return state;
}

/**
 * Whether an event is of one of these kinds: numbers, and types in quotes for any name; empty where nothing is known by these. The
 * type of an event is looked up: names of a type may be more than all events of a person.
 */
function isOneOf(kinds: readonly (number | string | null)[]): string {
  const numbers = numbersOf(kinds.filter((kind) => typeof kind !== 'string'));
  const types = kinds.filter((kind) => typeof kind === 'string').join(', ');
  const isOfType = `(SELECT k.type FROM kind AS k WHERE k.id = event.kind) IN (${types})`;
  if (types === '') return numbers === '' ? '' : `+kind IN (${numbers})`;
  return numbers === '' ? isOfType : `(+kind IN (${numbers}) OR ${isOfType})`;
}

/** A list for `IN`, empty where nothing is known by these numbers. */
function numbersOf(numbers: readonly (number | null)[]): string {
  return numbers.filter((number) => number !== null).join(', ');
}
