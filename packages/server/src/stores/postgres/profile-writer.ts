import type { Position } from '../../core/event.ts';
import type {
  Decision,
  Facts,
  Identity,
  Message,
  PersonName,
  PersonUnion,
  ProfileWriter,
  Recorded,
  Seen,
  Unjoined,
} from '../../people/contract.ts';
import { type OldEvent, RelationalProfileWriter, type WriterMemory } from '../relational/profile-writer.ts';
import type { Queries } from './database.ts';
import { changeDues } from './person-dues.ts';
import { recordFacts } from './profile-facts.ts';
import { keyOf } from './profile-keys.ts';
import { REBUILT } from './profile-schema.ts';
import { profileSql } from './profile-sql.ts';
import type { Turn } from './profile-turn.ts';
import { forgetPersons, unitePersons } from './profile-union.ts';
import { type DecidedValue, putValues } from './profile-values.ts';
import type { ProfileWords } from './profile-words.ts';
import { columnsOf, toText, toTextOrNull } from './text.ts';

/** Rows looked at in one step. */
const SCANNED = 50_000;

/** Below every key. */
const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';

/**
 * Writes of the profiles, within one transaction that holds the turn; see people/contract.ts for what they do. Each is a
 * handful of statements for any number of persons.
 */
export class PostgresProfileWriter extends RelationalProfileWriter implements ProfileWriter {
  readonly #queries: Queries;
  readonly #words: ProfileWords;
  readonly #turn: Turn;

  /** `turn` is changed; its owner writes it back. */
  constructor(transaction: Queries, words: ProfileWords, turn: Turn, memory: WriterMemory) {
    super(profileSql(transaction, words, turn), memory);
    this.#queries = transaction;
    this.#words = words;
    this.#turn = turn;
  }

  async setPositions(positions: ReadonlyMap<string, Position>): Promise<void> {
    if (positions.size === 0) return;
    await this.#queries.query(
      `INSERT INTO profile_sources (id, position) SELECT * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT (id) DO UPDATE SET position = excluded.position`,
      [[...positions.keys()].map(toText), [...positions.values()]],
    );
  }

  async newPersons(count: number): Promise<readonly number[]> {
    const last = this.#turn.last_person;
    this.#turn.last_person += count;
    return Array.from({ length: count }, (_, i) => last + 1 + i);
  }

  async unite(unions: readonly PersonUnion[]): Promise<void> {
    for (const { person, events, characters } of await unitePersons(this.#queries, unions)) {
      this.memory.tally.add(person, events, characters);
    }
    await this.trim(unions.map(({ into }) => into));
  }

  async putIdentities(identities: readonly Identity[]): Promise<void> {
    if (identities.length === 0) return;
    const byKey = new Map(identities.map((identity) => [keyOf(identity.id), identity]));
    const each = [...byKey.values()];
    await this.#queries.query(
      `INSERT INTO profile_identities (key, id, person, since, aliased)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
       ON CONFLICT (key) DO UPDATE SET person = excluded.person, since = excluded.since, aliased = excluded.aliased`,
      [[...byKey.keys()], each.map(({ id }) => toText(id)), ...columnsOf(each, 'person', 'since', 'aliased')],
    );
  }

  async putSeen(seen: readonly Seen[]): Promise<void> {
    if (seen.length === 0) return;
    await this.#queries.query(
      `INSERT INTO profile_seen (person, source) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING`,
      [seen.map(({ person }) => person), seen.map(({ sourceId }) => toText(sourceId))],
    );
  }

  async putUnjoined(unjoined: readonly Unjoined[]): Promise<void> {
    if (unjoined.length === 0) return;
    await this.#queries.query(
      `INSERT INTO profile_unjoined (person, key, id, source, why, at)
       SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[])
       ON CONFLICT (person, key) DO UPDATE SET source = excluded.source, why = excluded.why, at = excluded.at`,
      [
        unjoined.map(({ person }) => person),
        unjoined.map(({ id }) => keyOf(id)),
        unjoined.map(({ id }) => toText(id)),
        unjoined.map(({ sourceId }) => toText(sourceId)),
        ...columnsOf(unjoined, 'why', 'at'),
      ],
    );
    await this.trimUnjoined(unjoined.map(({ person }) => person));
  }

  async putPersons(persons: readonly PersonName[]): Promise<void> {
    const names = new Map(persons.map(({ person, userId }) => [person, toTextOrNull(userId)]));
    if (names.size === 0) return;
    await this.#queries.query(
      `INSERT INTO profile_persons AS p (person, user_id) SELECT * FROM unnest($1::bigint[], $2::text[])
       ON CONFLICT (person) DO UPDATE SET user_id = excluded.user_id WHERE p.user_id IS DISTINCT FROM excluded.user_id`,
      [[...names.keys()], [...names.values()]],
    );
  }

  async record(facts: Facts): Promise<Recorded> {
    const changes = await recordFacts(this.#queries, this.#words, facts);
    for (const { person, properties } of facts.events) {
      this.memory.tally.add(person, 1, JSON.stringify(properties).length);
    }
    return { changes, trimmed: await this.trimEvents() };
  }

  async decide(decisions: readonly Decision[], at: number): Promise<void> {
    const { byId } = await this.definitionTable();
    const grown = new Map<number, number>();
    const values = new Map<string, DecidedValue>();
    const dues = new Map<number, Map<number, number | null>>();
    for (const { definitionId, person, value, before, dueAt } of decisions) {
      const definition = byId.get(definitionId)?.number;
      if (definition === undefined) continue;
      if (value !== before) {
        values.set(`${person} ${definition}`, { person, definition, value });
        const change = Number(value !== null) - Number(before !== null);
        grown.set(definition, (grown.get(definition) ?? 0) + change);
      }
      dues.set(person, (dues.get(person) ?? new Map()).set(definition, dueAt));
    }
    await putValues(this.#queries, [...values.values()], at);
    await changeDues(this.#queries, dues.keys(), (due, person) => {
      for (const [definition, at] of dues.get(person) ?? []) {
        if (at === null) due.delete(definition);
        else due.set(definition, at);
      }
    });
    const sizes = [...grown].filter(([, change]) => change !== 0);
    if (sizes.length === 0) return;
    await this.#queries.query(
      `UPDATE profile_definitions d SET size = d.size + g.change FROM unnest($1::int[], $2::bigint[]) AS g(number, change)
       WHERE d.number = g.number`,
      [sizes.map(([number]) => number), sizes.map(([, change]) => change)],
    );
  }

  async tell(messages: readonly Omit<Message, 'id'>[]): Promise<void> {
    if (messages.length === 0) return;
    const { byId } = await this.definitionTable();
    const rows = messages.map(({ definitionId, userId, value, at }) => ({
      ...{ id: ++this.#turn.last_message, definition: byId.get(definitionId)?.number ?? 0 },
      ...{ key: keyOf(userId), userId: toText(userId), value, at },
    }));
    this.#turn.outbox += rows.length;
    await this.#queries.query(
      `INSERT INTO profile_outbox (id, definition, user_key, user_id, value, at)
       SELECT * FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[])`,
      columnsOf(rows, 'id', 'definition', 'key', 'userId', 'value', 'at'),
    );
    const last = [...new Map(rows.map((row) => [`${row.key} ${row.definition}`, row])).values()];
    await this.#queries.query(
      `INSERT INTO profile_told (user_key, definition, value) SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[])
       ON CONFLICT (user_key, definition) DO UPDATE SET value = excluded.value`,
      columnsOf(last, 'key', 'definition', 'value'),
    );
  }

  async wipe(): Promise<void> {
    // Of millions of rows nothing else ends in time; it waits for those who read them.
    await this.#queries.query(`TRUNCATE ${REBUILT.join(', ')}`);
    await this.#queries.query('UPDATE profile_definitions SET size = 0');
  }

  async setRebuilding(is: boolean): Promise<void> {
    this.#turn.rebuilt = is ? 0 : null;
  }

  protected changeDues(
    persons: Iterable<number>,
    change: (dues: Map<number, number>, person: number) => void,
  ): Promise<void> {
    return changeDues(this.#queries, persons, change);
  }

  protected forgetPersons(persons: readonly number[]): Promise<void> {
    return forgetPersons(this.#queries, persons);
  }

  protected async removeEvents(events: readonly OldEvent[]): Promise<void> {
    await this.#queries.query(
      `DELETE FROM profile_events e USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS o(person, at, message_id)
       WHERE e.person = o.person AND e.at = o.at AND e.message_id = o.message_id`,
      columnsOf(events, 'person', 'at', 'message_id'),
    );
  }

  protected async forgetValues(definition: number, limit: number): Promise<number> {
    const gone = await this.#queries.query(
      `DELETE FROM profile_values WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM profile_values WHERE definition = $1 LIMIT $2)) RETURNING 1`,
      [definition, limit],
    );
    return gone.length;
  }

  protected override messagesRemoved(count: number): void {
    this.#turn.outbox -= count;
  }

  protected async forgetToldAfter(definition: number, key: string | null): Promise<string | null> {
    const after = key ?? LOWEST_KEY;
    const [last] = await this.#queries.query<{ upTo: string }>(
      `SELECT user_key AS "upTo" FROM (SELECT user_key FROM profile_told WHERE user_key > $1 ORDER BY user_key LIMIT $2) page
       ORDER BY user_key DESC LIMIT 1`,
      [after, SCANNED],
    );
    if (!last) return null;
    await this.#queries.query(
      'DELETE FROM profile_told WHERE user_key > $1 AND user_key <= $2 AND definition + 0 = $3',
      [after, last.upTo, definition],
    );
    return last.upTo;
  }
}
