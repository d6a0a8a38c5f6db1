import type { EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { Kind, PersonEvent } from '../../people/person.ts';
import { draftIn, FactsDraft, StateDraft, StoredEvent } from '../../people/person-draft.ts';
import type { NumberedDefinitions } from '../relational/profile-definitions.ts';
import type { PersonRecords } from '../relational/profile-parts.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { type ProfileWords, plain, type Word } from './profile-words.ts';
import { fromText, toText } from './text.ts';

/** Which persons a statement asks for, by its first parameters. */
interface Scope {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** An event as it is stored. */
interface EventRow {
  readonly at: number;
  readonly message_id: string;
  readonly kind: number;
  readonly properties: string;
  [name: string]: unknown;
}

/** Reads persons, no more of each than is needed: a statement for each table, for any number of persons. */
export class PostgresPersonRecords implements PersonRecords {
  readonly #queries: Queries;
  readonly #words: ProfileWords;

  constructor(queries: Queries, words: ProfileWords) {
    this.#queries = queries;
    this.#words = words;
  }

  async states(persons: Persons, numbers: NumberedDefinitions): Promise<ReadonlyMap<number, PersonState>> {
    const drafts = new Map<number, StateDraft>();
    if (numbers.size === 0 || isNobody(persons)) return drafts;
    const draftOf = (person: number): StateDraft => draftIn(drafts, person, () => new StateDraft());
    const scope = scopeOf(persons);
    const values = await this.#inScope<{ person: number; definition: number; value: string }>(
      scope,
      'SELECT person, definition, value FROM profile_values',
      { sql: 'definition = ANY($::int[])', values: [[...numbers.keys()]] },
    );
    for (const { person, definition, value } of values) {
      const found = numbers.get(definition);
      if (found) draftOf(person).addValue(found, value);
    }
    const dues = await this.#inScope<{ person: number; dues: string }>(scope, 'SELECT person, dues FROM profile_dues');
    for (const { person, dues: json } of dues) {
      for (const [definition, at] of readNumberMap<number>(json)) {
        const found = numbers.get(definition);
        if (found) draftOf(person).addDue(found.id, at);
      }
    }
    return drafts;
  }

  async facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    const drafts = new Map<number, FactsDraft>();
    if (isNobody(persons)) return drafts;
    const draftOf: DraftOf = (person) => draftIn(drafts, person, () => new FactsDraft());
    const scope = scopeOf(persons);
    if (needs.traits === 'all' || needs.traits.size > 0) await this.#readTraits(draftOf, scope, needs);
    if (needs.groupTraits === 'all' || needs.groupTraits.size > 0) await this.#readGroups(draftOf, scope, needs);
    if (needs.events.length > 0) await this.#readEvents(draftOf, scope, needs, now);
    return drafts;
  }

  async lastTold(
    userIds: readonly string[],
    numbers: NumberedDefinitions,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const told = new Map<string, Map<string, string>>();
    if (userIds.length === 0 || numbers.size === 0) return told;
    const byKey = new Map(userIds.map((userId) => [keyOf(userId), userId]));
    const rows = await this.#queries.query<{ user_key: string; definition: number; value: string }>(
      `SELECT user_key, definition, value FROM profile_told
       WHERE user_key = ANY($1::uuid[]) AND definition + 0 = ANY($2::int[])`,
      [[...byKey.keys()], [...numbers.keys()]],
    );
    for (const { user_key, definition, value } of rows) {
      const found = numbers.get(definition);
      const userId = byKey.get(user_key);
      if (found && userId !== undefined) draftIn(told, userId, () => new Map<string, string>()).set(found.id, value);
    }
    return told;
  }

  async events(person: number, limit: number, before: EventPlace | null): Promise<PersonEvent[]> {
    const { at, messageId } = before ?? { at: Number.MAX_SAFE_INTEGER, messageId: '' };
    const rows = await this.#queries.query<EventRow>(
      `SELECT at, message_id, kind, properties FROM profile_events WHERE person = $1 AND (at, message_id) < ($2, $3)
       ORDER BY at DESC, message_id DESC LIMIT $4`,
      [person, at, toText(messageId), limit],
    );
    return this.#events(rows);
  }

  async #readTraits(draftOf: DraftOf, scope: Scope, needs: Needs): Promise<void> {
    const names = await this.#numbers(needs.traits);
    const rows = await this.#inScope<{ person: number; name: number; value: string; at: number }>(
      scope,
      'SELECT person, name, value, at FROM profile_traits',
      names && { sql: 'name = ANY($::int[])', values: [names] },
    );
    const wordOf = await this.#words.words(rows.map(({ name }) => name));
    for (const { person, name, value, at } of rows) {
      draftOf(person).addTrait(wordOf(name)?.text ?? '', JSON.parse(value), at);
    }
  }

  async #readGroups(draftOf: DraftOf, scope: Scope, needs: Needs): Promise<void> {
    const memberships = await this.#inScope<{ person: number; grp: number }>(
      scope,
      'SELECT person, grp FROM profile_memberships',
    );
    if (memberships.length === 0) return;
    const groups = new Map(memberships.map(({ grp }) => [grp, new Map<string, unknown>()]));
    const names = await this.#numbers(needs.groupTraits);
    const rows = await this.#queries.query<{ grp: number; name: number; value: string }>(
      `SELECT grp, name, value FROM profile_group_traits
       WHERE grp = ANY($1::int[]) AND ($2::int[] IS NULL OR name = ANY($2))`,
      [[...groups.keys()], names],
    );
    const wordOf = await this.#words.words([...groups.keys(), ...rows.map(({ name }) => name)]);
    for (const { grp, name, value } of rows) groups.get(grp)?.set(wordOf(name)?.text ?? '', JSON.parse(value));
    for (const { person, grp } of memberships) {
      draftOf(person).addGroup(wordOf(grp)?.text ?? '', groups.get(grp) ?? new Map());
    }
  }

  async #readEvents(draftOf: DraftOf, scope: Scope, { events }: Needs, now: number): Promise<void> {
    const always = await this.#words.kindNumbers(
      events.filter(({ lookBack }) => lookBack === Number.POSITIVE_INFINITY),
    );
    const passing = events.filter(({ lookBack }) => lookBack !== Number.POSITIVE_INFINITY);
    const lately = await this.#words.kindNumbers(passing);
    if (always.length === 0 && lately.length === 0) return;
    const since = Math.floor(now - Math.max(0, ...passing.map(({ lookBack }) => lookBack)));
    // The sum keeps the server from the index of kinds: what one person did lies together in the other one.
    const wanted =
      always.length === 0
        ? { sql: 'at >= $::bigint AND kind + 0 = ANY($::int[])', values: [since, lately] }
        : {
            sql: '(kind + 0 = ANY($::int[]) OR (at >= $::bigint AND kind + 0 = ANY($::int[])))',
            values: [always, since, lately],
          };
    const rows = await this.#inScope<EventRow & { person: number }>(
      scope,
      'SELECT person, at, message_id, kind, properties FROM profile_events',
      wanted,
      'ORDER BY person, at, message_id',
    );
    const stored = await this.#events(rows);
    for (const [i, { person }] of rows.entries()) {
      const event = stored[i];
      if (event) draftOf(person).events.push(event);
    }
  }

  /** Rows of the scope's persons; `more` has `$` for each of its parameters. */
  #inScope<Row extends object>(scope: Scope, select: string, more?: Scope | null, order = ''): Promise<Row[]> {
    let n = scope.values.length;
    const rest = more ? ` AND ${more.sql.replaceAll('$', () => `$${++n}`)}` : '';
    return this.#queries.query<Row & { [name: string]: unknown }>(`${select} WHERE ${scope.sql}${rest} ${order}`, [
      ...scope.values,
      ...(more?.values ?? []),
    ]);
  }

  /** Null for all of them. */
  async #numbers(names: ReadonlySet<string> | 'all'): Promise<number[] | null> {
    if (names === 'all') return null;
    const words: Word[] = [...names].map(plain);
    const numberOf = await this.#words.known(words);
    return words.map(numberOf).filter((number) => number !== undefined);
  }

  async #events(rows: readonly EventRow[]): Promise<PersonEvent[]> {
    const wordOf = await this.#words.words(new Set(rows.map(({ kind }) => kind)));
    const kinds = new Map<number, Kind>();
    return rows.map(({ at, message_id, kind: number, properties }) => {
      let kind = kinds.get(number);
      if (!kind) {
        const word = wordOf(number);
        kind = { type: (word?.space ?? 'track') as Kind['type'], name: word?.text || null };
        kinds.set(number, kind);
      }
      return new StoredEvent(at, kind, fromText(message_id), properties);
    });
  }
}

type DraftOf = (person: number) => FactsDraft;

function isNobody(persons: Persons): boolean {
  return !('after' in persons) && persons.length === 0;
}

function scopeOf(persons: Persons): Scope {
  return 'after' in persons
    ? { sql: 'person > $1 AND person <= $2', values: [persons.after, persons.upTo] }
    : { sql: 'person = ANY($1::bigint[])', values: [persons] };
}
