import type { EventPlace, Needs, PersonFacts, PersonState, Persons } from '../../people/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { Kind, PersonEvent } from '../../people/person.ts';
import { draftIn, FactsDraft, StateDraft, StoredEvent } from '../../people/person-draft.ts';
import type { NumberedDefinitions } from '../relational/profile-definitions.ts';
import type { PersonRecords } from '../relational/profile-parts.ts';
import { isOfKinds, type ProfileSql } from '../relational/profile-sql.ts';
import { type Statement, sql } from '../relational/sql.ts';
import { keyOf } from './profile-keys.ts';
import type { ProfileWords } from './profile-words.ts';
import { fromText } from './text.ts';

/** An event as it is stored. */
interface EventRow {
  readonly at: number;
  readonly message_id: string;
  readonly kind: number;
  readonly properties: string;
}

/** Reads persons, no more of each than is needed: a statement for each table, for any number of persons. */
export class PostgresPersonRecords implements PersonRecords {
  readonly #sql: ProfileSql;
  readonly #words: ProfileWords;

  constructor(profiles: ProfileSql, words: ProfileWords) {
    this.#sql = profiles;
    this.#words = words;
  }

  async states(persons: Persons, numbers: NumberedDefinitions): Promise<ReadonlyMap<number, PersonState>> {
    const drafts = new Map<number, StateDraft>();
    if (numbers.size === 0 || isNobody(persons)) return drafts;
    const draftOf = (person: number): StateDraft => draftIn(drafts, person, () => new StateDraft());
    const { among, read } = this.#sql;
    const isTheirs = this.#isOf(persons);
    const values = await read<{ person: number; definition: number; value: string }>(
      sql`SELECT person, definition, value FROM profile_values
        WHERE ${isTheirs} AND ${among(sql`definition`, [...numbers.keys()])}`,
    );
    for (const { person, definition, value } of values) {
      const found = numbers.get(definition);
      if (found) draftOf(person).addValue(found, value);
    }
    const dues = await read<{ person: number; dues: string }>(
      sql`SELECT person, dues FROM profile_dues WHERE ${isTheirs}`,
    );
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
    const isTheirs = this.#isOf(persons);
    if (needs.traits === 'all' || needs.traits.size > 0) await this.#readTraits(draftOf, isTheirs, needs);
    if (needs.groupTraits.size > 0) await this.#readGroups(draftOf, isTheirs, needs);
    if (needs.events.length > 0) await this.#readEvents(draftOf, isTheirs, needs, now);
    return drafts;
  }

  async lastTold(
    userIds: readonly string[],
    numbers: NumberedDefinitions,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const told = new Map<string, Map<string, string>>();
    if (userIds.length === 0 || numbers.size === 0) return told;
    const byKey = new Map(userIds.map((userId) => [keyOf(userId), userId]));
    const { among, read } = this.#sql;
    const keys = `{${[...byKey.keys()].join(',')}}`;
    const rows = await read<{ user_key: string; definition: number; value: string }>(
      sql`SELECT user_key, definition, value FROM profile_told
        WHERE user_key = ANY(${keys}::uuid[]) AND ${among(sql`definition + 0`, [...numbers.keys()])}`,
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
    const rows = await this.#sql.read<EventRow>(
      sql`SELECT at, message_id, kind, properties FROM profile_events
        WHERE person = ${person} AND (at, message_id) < (${at}, ${messageId})
        ORDER BY at DESC, message_id DESC LIMIT ${limit}`,
    );
    return this.#events(rows);
  }

  async #readTraits(draftOf: DraftOf, isTheirs: Statement, needs: Needs): Promise<void> {
    const rows = await this.#sql.read<{ person: number; name: number; value: string; at: number }>(
      sql`SELECT person, name, value, at FROM profile_traits WHERE ${isTheirs} AND ${await this.#isNamed(needs.traits)}`,
    );
    const wordOf = await this.#words.words(rows.map(({ name }) => name));
    for (const { person, name, value, at } of rows) {
      draftOf(person).addTrait(wordOf(name)?.text ?? '', JSON.parse(value), at);
    }
  }

  async #readGroups(draftOf: DraftOf, isTheirs: Statement, needs: Needs): Promise<void> {
    const { among, read } = this.#sql;
    const memberships = await read<{ person: number; grp: number }>(
      sql`SELECT person, grp FROM profile_memberships WHERE ${isTheirs}`,
    );
    if (memberships.length === 0) return;
    const groups = new Map(memberships.map(({ grp }) => [grp, new Map<string, unknown>()]));
    const rows = await read<{ grp: number; name: number; value: string }>(
      sql`SELECT grp, name, value FROM profile_group_traits
        WHERE ${among(sql`grp`, [...groups.keys()])} AND ${await this.#isNamed(needs.groupTraits)}`,
    );
    const wordOf = await this.#words.words([...groups.keys(), ...rows.map(({ name }) => name)]);
    for (const { grp, name, value } of rows) groups.get(grp)?.set(wordOf(name)?.text ?? '', JSON.parse(value));
    for (const { person, grp } of memberships) {
      draftOf(person).addGroup(wordOf(grp)?.text ?? '', groups.get(grp) ?? new Map());
    }
  }

  async #readEvents(draftOf: DraftOf, isTheirs: Statement, { events }: Needs, now: number): Promise<void> {
    if (events.length === 0) return;
    const always = events.filter(({ lookBack }) => lookBack === Number.POSITIVE_INFINITY);
    const lately = events.filter(({ lookBack }) => lookBack !== Number.POSITIVE_INFINITY);
    const since = Math.floor(now - Math.max(0, ...lately.map(({ lookBack }) => lookBack)));
    const isLate = sql`at >= ${since} AND ${await isOfKinds(lately, this.#sql)}`;
    const isWanted = always.length === 0 ? isLate : sql`(${await isOfKinds(always, this.#sql)} OR (${isLate}))`;
    const rows = await this.#sql.read<EventRow & { person: number }>(
      sql`SELECT person, at, message_id, kind, properties FROM profile_events AS e
        WHERE ${isTheirs} AND ${isWanted} ORDER BY person, at, message_id`,
    );
    const stored = await this.#events(rows);
    for (const [i, { person }] of rows.entries()) {
      const event = stored[i];
      if (event) draftOf(person).events.push(event);
    }
  }

  #isOf(persons: Persons): Statement {
    return 'after' in persons
      ? sql`person > ${persons.after} AND person <= ${persons.upTo}`
      : this.#sql.among(sql`person`, persons);
  }

  async #isNamed(names: ReadonlySet<string> | 'all'): Promise<Statement> {
    if (names === 'all') return sql`true`;
    const numberOf = await this.#sql.wordNumbers([...names]);
    const numbers = [...names].map(numberOf).filter((number) => number !== undefined);
    return this.#sql.among(sql`name`, numbers);
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
