import type { Position } from '../../core/event.ts';
import type {
  Decision,
  Definition,
  Due,
  ExpiredEvents,
  Facts,
  GroupChange,
  GroupDue,
  Identity,
  Message,
  PersonName,
  PersonRange,
  PersonUnion,
  ProfileErasure,
  ProfileWriter,
  Seen,
  Unjoined,
} from '../../people/contract.ts';
import type { EventTally } from '../../people/event-tally.ts';
import type { DefinitionTable } from '../relational/profile-definitions.ts';
import { expired } from '../relational/profile-reader.ts';
import type { Queries } from './database.ts';
import { advance, changeDues, makeMembersDue } from './person-dues.ts';
import { recordFacts, removeOldest } from './profile-facts.ts';
import { keyOf } from './profile-keys.ts';
import { PostgresProfileReader } from './profile-reader.ts';
import { REBUILT } from './profile-schema.ts';
import type { Turn } from './profile-turn.ts';
import { forgetPersons, trimUnjoined, unitePersons } from './profile-union.ts';
import { type DecidedValue, putValues } from './profile-values.ts';
import { type ProfileWords, plain } from './profile-words.ts';
import { toText, toTextOrNull } from './text.ts';

/** What writers hand on to each other in a process; lost with a transaction that fails. */
export interface WriterMemory {
  readonly tally: EventTally;
  /** How far what was told under a definition is forgotten: up to this key. Begun again where it was lost. */
  forgotten: { readonly definition: number; readonly upTo: string };
}

/** Persons whose events are removed in one go. */
const PERSONS = 5_000;

/** Rows looked at in one step. */
const SCANNED = 50_000;

/** Below every key. */
const LOWEST_KEY = '00000000-0000-0000-0000-000000000000';

/**
 * Writes of the profiles, within one transaction that holds the turn; see people/contract.ts for what they do. Each is a
 * handful of statements for any number of persons.
 */
export class PostgresProfileWriter extends PostgresProfileReader implements ProfileWriter {
  readonly #turn: Turn;
  readonly #memory: WriterMemory;
  #definitions: Promise<DefinitionTable> | null = null;

  /** `turn` is changed; its owner writes it back. */
  constructor(transaction: Queries, words: ProfileWords, turn: Turn, memory: WriterMemory) {
    super(transaction, words);
    this.#turn = turn;
    this.#memory = memory;
  }

  async setPositions(positions: ReadonlyMap<string, Position>): Promise<void> {
    if (positions.size === 0) return;
    await this.queries.query(
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
    for (const { person, events } of await unitePersons(this.queries, unions)) this.#memory.tally.add(person, events);
  }

  async putIdentities(identities: readonly Identity[]): Promise<void> {
    if (identities.length === 0) return;
    const byKey = new Map(identities.map((identity) => [keyOf(identity.id), identity]));
    const each = [...byKey.values()];
    await this.queries.query(
      `INSERT INTO profile_identities (key, id, person, since, aliased)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
       ON CONFLICT (key) DO UPDATE SET person = excluded.person, since = excluded.since, aliased = excluded.aliased`,
      [
        [...byKey.keys()],
        each.map(({ id }) => toText(id)),
        each.map(({ person }) => person),
        each.map(({ since }) => since),
        each.map(({ aliased }) => aliased),
      ],
    );
  }

  async putSeen(seen: readonly Seen[]): Promise<void> {
    if (seen.length === 0) return;
    await this.queries.query(
      `INSERT INTO profile_seen (person, source) SELECT * FROM unnest($1::bigint[], $2::text[]) ON CONFLICT DO NOTHING`,
      [seen.map(({ person }) => person), seen.map(({ sourceId }) => toText(sourceId))],
    );
  }

  async putUnjoined(unjoined: readonly Unjoined[]): Promise<void> {
    if (unjoined.length === 0) return;
    await this.queries.query(
      `INSERT INTO profile_unjoined (person, key, id, source, why, at)
       SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::bigint[])
       ON CONFLICT (person, key) DO UPDATE SET source = excluded.source, why = excluded.why, at = excluded.at`,
      [
        unjoined.map(({ person }) => person),
        unjoined.map(({ id }) => keyOf(id)),
        unjoined.map(({ id }) => toText(id)),
        unjoined.map(({ sourceId }) => toText(sourceId)),
        unjoined.map(({ why }) => why),
        unjoined.map(({ at }) => at),
      ],
    );
    await trimUnjoined(
      this.queries,
      unjoined.map(({ person }) => person),
    );
  }

  async putPersons(persons: readonly PersonName[]): Promise<void> {
    const names = new Map(persons.map(({ person, userId }) => [person, toTextOrNull(userId)]));
    if (names.size === 0) return;
    await this.queries.query(
      `INSERT INTO profile_persons AS p (person, user_id) SELECT * FROM unnest($1::bigint[], $2::text[])
       ON CONFLICT (person) DO UPDATE SET user_id = excluded.user_id WHERE p.user_id IS DISTINCT FROM excluded.user_id`,
      [[...names.keys()], [...names.values()]],
    );
  }

  async record(facts: Facts): Promise<readonly GroupChange[]> {
    const changes = await recordFacts(this.queries, this.words, facts);
    for (const { person } of facts.events) this.#memory.tally.add(person, 1);
    for (const person of this.#memory.tally.take()) await removeOldest(this.queries, person);
    return changes;
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
    await putValues(this.queries, [...values.values()], at);
    await changeDues(this.queries, dues.keys(), (due, person) => {
      for (const [definition, at] of dues.get(person) ?? []) {
        if (at === null) due.delete(definition);
        else due.set(definition, at);
      }
    });
    const sizes = [...grown].filter(([, change]) => change !== 0);
    if (sizes.length === 0) return;
    await this.queries.query(
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
    await this.queries.query(
      `INSERT INTO profile_outbox (id, definition, user_key, user_id, value, at)
       SELECT * FROM unnest($1::bigint[], $2::int[], $3::uuid[], $4::text[], $5::text[], $6::bigint[])`,
      [
        rows.map(({ id }) => id),
        rows.map(({ definition }) => definition),
        rows.map(({ key }) => key),
        rows.map(({ userId }) => userId),
        rows.map(({ value }) => value),
        rows.map(({ at }) => at),
      ],
    );
    const last = [...new Map(rows.map((row) => [`${row.key} ${row.definition}`, row])).values()];
    await this.queries.query(
      `INSERT INTO profile_told (user_key, definition, value) SELECT * FROM unnest($1::uuid[], $2::int[], $3::text[])
       ON CONFLICT (user_key, definition) DO UPDATE SET value = excluded.value`,
      [last.map(({ key }) => key), last.map(({ definition }) => definition), last.map(({ value }) => value)],
    );
  }

  async told(ids: readonly number[], now: number): Promise<void> {
    const gone = await this.queries.query<{ definition: number }>(
      'DELETE FROM profile_outbox WHERE id = ANY($1::bigint[]) RETURNING definition',
      [ids],
    );
    this.#turn.outbox -= gone.length;
    await this.queries.query('UPDATE profile_definitions SET sent_at = $1 WHERE number = ANY($2::int[])', [
      now,
      [...new Set(gone.map(({ definition }) => definition))],
    ]);
  }

  async makeDue(dues: readonly Due[]): Promise<void> {
    if (dues.length === 0) return;
    const { byId } = await this.definitionTable();
    const byPerson = Map.groupBy(dues, ({ person }) => person);
    await changeDues(this.queries, byPerson.keys(), (due, person) => {
      for (const { definitionId, at } of byPerson.get(person) ?? [])
        advance(due, byId.get(definitionId)?.number ?? 0, at);
    });
  }

  async makeGroupsDue(dues: readonly GroupDue[], at: number): Promise<void> {
    if (dues.length === 0) return;
    const { byId } = await this.definitionTable();
    const numberOf = await this.words.known(dues.map(({ groupId }) => plain(groupId)));
    const definitions = new Map<number, number[]>();
    for (const { groupId, definitionIds } of dues) {
      const group = numberOf(plain(groupId));
      if (group === undefined) continue;
      const numbers = definitionIds.map((id) => byId.get(id)?.number ?? 0);
      definitions.set(group, [...(definitions.get(group) ?? []), ...numbers]);
    }
    for (const [group, numbers] of definitions) await makeMembersDue(this.queries, group, numbers, at);
  }

  async notDue(dues: readonly Due[]): Promise<void> {
    const last = dues.at(-1);
    if (!last) return;
    const { byId, byNumber } = await this.definitionTable();
    const byPerson = Map.groupBy(dues, ({ person }) => person);
    await changeDues(this.queries, byPerson.keys(), (left, person) => {
      for (const { definitionId } of byPerson.get(person) ?? []) left.delete(byId.get(definitionId)?.number ?? 0);
      // Those of definitions that are gone have no other name.
      for (const [number, at] of left) if (!byNumber.has(number) && at <= last.at) left.delete(number);
    });
  }

  async putDefinition({ size: _size, sentAt: _sentAt, ...definition }: Definition): Promise<void> {
    const numberOf = await this.words.made([plain(definition.id)]);
    await this.queries.query(
      `INSERT INTO profile_definitions (number, id, audience, document, size, sent_at) VALUES ($1, $2, $3, $4, 0, NULL)
       ON CONFLICT (number) DO UPDATE SET audience = excluded.audience, document = excluded.document`,
      [numberOf(plain(definition.id)), definition.id, 'audience' in definition.what, JSON.stringify(definition)],
    );
    await this.queries.query('INSERT INTO profile_own_sources (id) VALUES ($1) ON CONFLICT DO NOTHING', [
      toText(definition.sourceId),
    ]);
    this.#definitions = null;
  }

  async forget(definitionId: string, limit: number): Promise<boolean> {
    const number = (await this.definitionTable()).byId.get(definitionId)?.number ?? 0;
    let left = limit;
    const some = async (table: string): Promise<number> => {
      if (left <= 0) return 0;
      const gone = await this.queries.query(
        `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE definition = $1 LIMIT $2)) RETURNING 1`,
        [number, left],
      );
      left -= gone.length;
      return gone.length;
    };
    this.#turn.outbox -= await some('profile_outbox');
    await some('profile_values');
    await some('profile_sizes');
    if (left <= 0 || !(await this.#forgetTold(number))) return false;
    // What is due under it is passed over when its time comes.
    await this.queries.query('DELETE FROM profile_definitions WHERE number = $1', [number]);
    this.#definitions = null;
    return true;
  }

  async keepSizes(hour: number): Promise<void> {
    await this.queries.query(
      `INSERT INTO profile_sizes (definition, hour, size) SELECT number, $1::bigint, size FROM profile_definitions
       WHERE (document::json ->> 'createdAt')::bigint <= $1 ON CONFLICT DO NOTHING`,
      [hour],
    );
  }

  async wipe(): Promise<void> {
    // Of millions of rows nothing else ends in time; it waits for those who read them.
    await this.queries.query(`TRUNCATE ${REBUILT.join(', ')}`);
    await this.queries.query('UPDATE profile_definitions SET size = 0');
  }

  async setRebuilding(is: boolean): Promise<void> {
    this.#turn.rebuilt = is ? 0 : null;
  }

  async erase(erasure: ProfileErasure, persons: readonly number[]): Promise<void> {
    await this.queries.query(
      `INSERT INTO profile_erasures (id, document) VALUES ($1, $2)
       ON CONFLICT (id) DO UPDATE SET document = excluded.document`,
      [toText(erasure.id), JSON.stringify(erasure)],
    );
    await forgetPersons(this.queries, persons);
    await this.queries.query('INSERT INTO profile_erased (person) SELECT unnest($1::bigint[]) ON CONFLICT DO NOTHING', [
      persons,
    ]);
    const keys = erasure.ids.flat().map(keyOf);
    await this.queries.query('DELETE FROM profile_told WHERE user_key = ANY($1::uuid[])', [keys]);
    await this.queries.query('DELETE FROM profile_unjoined WHERE key = ANY($1::uuid[])', [keys]);
    const unsaid = await this.queries.query('DELETE FROM profile_outbox WHERE user_key = ANY($1::uuid[]) RETURNING 1', [
      keys,
    ]);
    this.#turn.outbox -= unsaid.length;
  }

  async sweep(limit: number): Promise<boolean> {
    const rows = await this.queries.query<{ person: number }>('SELECT person FROM profile_erased LIMIT $1', [PERSONS]);
    const persons = rows.map(({ person }) => person);
    if (persons.length === 0) return true;
    const gone = await this.queries.query(
      `DELETE FROM profile_events WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM profile_events WHERE person = ANY($1::bigint[]) LIMIT $2)) RETURNING 1`,
      [persons, limit],
    );
    if (gone.length >= limit) return false;
    await this.queries.query('DELETE FROM profile_erased WHERE person = ANY($1::bigint[])', [persons]);
    return persons.length < PERSONS;
  }

  async expireEvents(before: number, from: number, limit: number): Promise<ExpiredEvents> {
    const old = await this.oldEvents(before, from, limit);
    await this.queries.query(
      `DELETE FROM profile_events e USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS o(person, at, message_id)
       WHERE e.person = o.person AND e.at = o.at AND e.message_id = o.message_id`,
      [old.map(({ person }) => person), old.map(({ at }) => at), old.map((one) => one.message_id)],
    );
    return expired(old, limit);
  }

  async expirePersons(before: number, range: PersonRange): Promise<void> {
    const persons = await this.quietPersons(before, range);
    if (persons.length > 0) await forgetPersons(this.queries, persons);
  }

  async endErasure(id: string): Promise<void> {
    await this.queries.query('DELETE FROM profile_erasures WHERE id = $1', [toText(id)]);
  }

  protected override async turn(): Promise<Turn> {
    return this.#turn;
  }

  /** No other transaction changes them meanwhile. */
  protected override definitionTable(): Promise<DefinitionTable> {
    this.#definitions ??= super.definitionTable();
    return this.#definitions;
  }

  /**
   * A page of it, by user: an index that led there would cost each message more than this will ever save. Answers whether
   * that was all.
   */
  async #forgetTold(definition: number): Promise<boolean> {
    const { forgotten } = this.#memory;
    const after = forgotten.definition === definition ? forgotten.upTo : LOWEST_KEY;
    const [last] = await this.queries.query<{ upTo: string }>(
      `SELECT user_key AS "upTo" FROM (SELECT user_key FROM profile_told WHERE user_key > $1 ORDER BY user_key LIMIT $2) page
       ORDER BY user_key DESC LIMIT 1`,
      [after, SCANNED],
    );
    if (!last) return true;
    await this.queries.query(
      'DELETE FROM profile_told WHERE user_key > $1 AND user_key <= $2 AND definition + 0 = $3',
      [after, last.upTo, definition],
    );
    this.#memory.forgotten = { definition, upTo: last.upTo };
    return false;
  }
}
