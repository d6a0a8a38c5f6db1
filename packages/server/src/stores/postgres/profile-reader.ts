import type { Position } from '../../core/event.ts';
import {
  type Counted,
  type Definition,
  type DefinitionIds,
  type Due,
  type EventPlace,
  type Held,
  type Identity,
  type Member,
  type MemberPlace,
  type Message,
  NAMING_TRAITS,
  type NamingTrait,
  type NeededEvents,
  type Needs,
  type PersonFacts,
  type PersonName,
  type PersonRange,
  type PersonState,
  type Persons,
  type ProfileErasure,
  type ProfileReader,
  type Size,
  type Unjoined,
} from '../../people/contract.ts';
import type { Condition } from '../../people/definition.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { PersonEvent } from '../../people/person.ts';
import type { EventName, EventNamesQuery, Most, SeenTrait } from '../../people/seen.ts';
import type { Queries } from './database.ts';
import { countPersons } from './profile-count.ts';
import { type DefinitionTable, readDefinitionTable } from './profile-definitions.ts';
import { keyOf } from './profile-keys.ts';
import { ProfileRecords } from './profile-records.ts';
import { selectNaming } from './profile-schema.ts';
import { ProfileSeen } from './profile-seen.ts';
import { FIRST_TURN, TURN, type Turn } from './profile-turn.ts';
import { type ProfileWords, plain } from './profile-words.ts';
import { fromText, fromTextOrNull, toText } from './text.ts';

/** Reads of the profiles; see people/contract.ts for what they answer. */
export class PostgresProfileReader implements ProfileReader {
  protected readonly queries: Queries;
  protected readonly words: ProfileWords;
  readonly #records: ProfileRecords;
  readonly #seen: ProfileSeen;

  constructor(queries: Queries, words: ProfileWords) {
    this.queries = queries;
    this.words = words;
    this.#records = new ProfileRecords(queries, words);
    this.#seen = new ProfileSeen(queries, words);
  }

  async positions(): Promise<ReadonlyMap<string, Position>> {
    const rows = await this.queries.query<{ id: string; position: number }>('SELECT id, position FROM profile_sources');
    return new Map(rows.map(({ id, position }) => [fromText(id), position]));
  }

  identities(ids: readonly string[]): Promise<readonly Identity[]> {
    return this.#identities('WHERE key = ANY($1::uuid[])', [ids.map(keyOf)]);
  }

  identitiesOf(persons: readonly number[]): Promise<readonly Identity[]> {
    return this.#identities('WHERE person = ANY($1::bigint[])', [persons]);
  }

  async sourcesOf(persons: readonly number[]): Promise<ReadonlyMap<number, readonly string[]>> {
    const rows = await this.queries.query<{ person: number; source: string }>(
      'SELECT person, source FROM profile_seen WHERE person = ANY($1::bigint[]) ORDER BY source',
      [persons],
    );
    const found = Map.groupBy(rows, ({ person }) => person);
    return new Map([...found].map(([person, some]) => [person, some.map(({ source }) => fromText(source))]));
  }

  async unjoined(person: number): Promise<readonly Unjoined[]> {
    const rows = await this.queries.query<{ id: string; source: string; why: Unjoined['why']; at: number }>(
      'SELECT id, source, why, at FROM profile_unjoined WHERE person = $1 ORDER BY at DESC, id',
      [person],
    );
    return rows.map(({ id, source, why, at }) => ({ person, id: fromText(id), sourceId: fromText(source), why, at }));
  }

  async several({ after, upTo }: PersonRange): Promise<readonly number[]> {
    const rows = await this.queries.query<{ person: number }>(
      `SELECT person FROM profile_identities
       WHERE person > $1 AND person <= $2 AND (since IS NOT NULL OR aliased IS NOT NULL)
       GROUP BY person HAVING count(*) > 1 ORDER BY person`,
      [after, upTo],
    );
    return rows.map(({ person }) => person);
  }

  countUnjoined(sourceId: string, limit: number): Promise<number> {
    return this.#number(
      'SELECT count(*) AS value FROM (SELECT FROM profile_unjoined WHERE source = $1 LIMIT $2) counted',
      [toText(sourceId), limit],
    );
  }

  async names(persons: readonly number[]): Promise<readonly PersonName[]> {
    return persons.length === 0 ? [] : this.#records.names(persons);
  }

  async namesAfter(after: number, limit: number): Promise<readonly PersonName[]> {
    return this.#records.namesAfter(after, limit);
  }

  async states(persons: Persons, of: DefinitionIds): Promise<ReadonlyMap<number, PersonState>> {
    return this.#records.states(persons, of, await this.definitionTable());
  }

  async facts(persons: Persons, needs: Needs, now: number): Promise<ReadonlyMap<number, PersonFacts>> {
    return this.#records.facts(persons, needs, now);
  }

  async held(persons: readonly number[]): Promise<ReadonlyMap<number, Held>> {
    const rows = await this.queries.query<Held & { person: number }>(
      `SELECT person, (SELECT count(*) FROM profile_traits t WHERE t.person = p.person) AS traits,
         (SELECT count(*) FROM profile_memberships m WHERE m.person = p.person) AS groups
       FROM unnest($1::bigint[]) AS p(person)`,
      [persons],
    );
    const some = rows.filter(({ traits, groups }) => traits + groups > 0);
    return new Map(some.map(({ person, traits, groups }) => [person, { traits, groups }]));
  }

  async groupTraits(groupIds: readonly string[], least: number): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const numberOf = await this.words.known(groupIds.map(plain));
    const ids = new Map(groupIds.map((id) => [numberOf(plain(id)), id]));
    const rows = await this.queries.query<{ grp: number; name: string }>(
      `SELECT t.grp, w.text AS name FROM profile_group_traits t JOIN profile_words w ON w.number = t.name
       WHERE t.grp = ANY(ARRAY(SELECT grp FROM profile_group_traits WHERE grp = ANY($1::int[])
         GROUP BY grp HAVING count(*) >= $2))`,
      [[...ids.keys()].filter((number) => number !== undefined), least],
    );
    const named = Map.groupBy(rows, ({ grp }) => ids.get(grp) ?? '');
    return new Map([...named].map(([id, some]) => [id, new Set(some.map(({ name }) => fromText(name)))]));
  }

  async lastTold(
    userIds: readonly string[],
    of: DefinitionIds,
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    return this.#records.lastTold(userIds, of, await this.definitionTable());
  }

  recentEvents(person: number, limit: number, before: EventPlace | null = null): Promise<readonly PersonEvent[]> {
    return this.#records.events(person, limit, before);
  }

  async lastPerson(): Promise<number> {
    return (await this.turn()).last_person;
  }

  async persons(): Promise<number> {
    return this.#number('SELECT count(*) AS value FROM profile_persons');
  }

  async find(prefix: string, limit: number): Promise<readonly Identity[]> {
    // The index has the ids' beginnings, which come in the same order.
    const found = await this.#identities(
      'WHERE left(id, 256) >= left($1, 256) AND id >= $1 ORDER BY left(id, 256), id LIMIT $2',
      [toText(prefix), limit],
    );
    return found.filter(({ id }) => id.startsWith(prefix));
  }

  async findNames(prefix: string, limit: number): Promise<readonly NamingTrait[]> {
    const numberOf = await this.words.known(NAMING_TRAITS.map(plain));
    const names = new Map(NAMING_TRAITS.map((trait) => [numberOf(plain(trait)) ?? 0, trait]));
    const rows = await this.queries.query<{ person: number; name: number; value: string }>(
      selectNaming([...names.keys()]),
      [JSON.stringify(prefix).slice(1, -1), limit],
    );
    return rows.map(({ person, name, value }) => ({ person, trait: names.get(name) ?? '', value: JSON.parse(value) }));
  }

  eventNames(query: EventNamesQuery): Promise<readonly EventName[]> {
    return this.#seen.eventNames(query);
  }

  newestProperties(kind: Pick<PersonEvent, 'type' | 'name'>, now: number, most: Most): Promise<readonly string[]> {
    return this.#seen.properties(kind, now, most);
  }

  newestTraits(of: 'person' | 'group', most: Most): Promise<readonly SeenTrait[]> {
    return this.#seen.traits(of, most);
  }

  async latest(events: readonly NeededEvents[], now: number, limit: number): Promise<readonly number[]> {
    const newest: { person: number; at: number }[] = [];
    for (const needed of events) {
      const since = Math.max(Math.floor(now - needed.lookBack), Number.MIN_SAFE_INTEGER);
      const kinds = await this.#records.kinds([needed]);
      // Kind by kind, because the index has the times of each.
      const rows = await this.queries.query<{ person: number; at: number }>(
        `SELECT e.* FROM unnest($1::int[]) AS k(kind) CROSS JOIN LATERAL (SELECT person, at FROM profile_events
         WHERE kind = k.kind AND at > $2 AND at <= $3 ORDER BY at DESC LIMIT $4) e`,
        [kinds, since, now, limit],
      );
      newest.push(...rows);
    }
    const byTime = newest.toSorted((a, b) => b.at - a.at);
    return [...new Set(byTime.slice(0, limit).map(({ person }) => person))];
  }

  async definitions(): Promise<readonly Definition[]> {
    const rows = await this.queries.query<{ document: string; size: number; sent_at: number | null }>(
      'SELECT document, size, sent_at FROM profile_definitions ORDER BY number',
    );
    return rows.map(({ document, size, sent_at }) => ({
      ...(JSON.parse(document) as Definition),
      size,
      sentAt: sent_at,
    }));
  }

  async ownSources(): Promise<ReadonlySet<string>> {
    const rows = await this.queries.query<{ id: string }>('SELECT id FROM profile_own_sources');
    return new Set(rows.map(({ id }) => fromText(id)));
  }

  async due(now: number, limit: number): Promise<readonly Due[]> {
    const { byNumber } = await this.definitionTable();
    const rows = await this.queries.query<{ person: number; dues: string }>(
      'SELECT person, dues FROM profile_dues WHERE at <= $1 ORDER BY at LIMIT $2',
      [now, limit],
    );
    const due = rows.flatMap(({ person, dues }) =>
      Array.from(readNumberMap<number>(dues), ([number, at]) => ({
        definitionId: byNumber.get(number)?.id ?? GONE,
        person,
        at,
      })),
    );
    // A person who has one of the first has their own first among them.
    return due
      .filter(({ at }) => at <= now)
      .sort((a, b) => a.at - b.at)
      .slice(0, limit);
  }

  async nextDue(): Promise<number | null> {
    const [row] = await this.queries.query<{ at: number | null }>('SELECT min(at) AS at FROM profile_dues');
    return row?.at ?? null;
  }

  async outbox(limit: number): Promise<readonly Message[]> {
    const { byNumber } = await this.definitionTable();
    const rows = await this.queries.query<{
      id: number;
      definition: number;
      user_id: string;
      value: string;
      at: number;
    }>('SELECT id, definition, user_id, value, at FROM profile_outbox ORDER BY id LIMIT $1', [limit]);
    return rows.map(({ id, definition, user_id, value, at }) => ({
      ...{ id, definitionId: byNumber.get(definition)?.id ?? GONE, userId: fromText(user_id), value, at },
    }));
  }

  async outboxSize(): Promise<number> {
    return (await this.turn()).outbox;
  }

  async members(definitionId: string, after: number, limit: number): Promise<readonly Member[]> {
    return this.#members(definitionId, 'v.person > $2 ORDER BY v.person LIMIT $3', after, limit);
  }

  async latestMembers(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly Member[]> {
    const { since, person } = before ?? { since: Number.MAX_SAFE_INTEGER, person: 0 };
    const where = '(v.since, v.person) < ($2, $3) ORDER BY v.since DESC, v.person DESC LIMIT $4';
    return this.#members(definitionId, where, since ?? 0, person, limit);
  }

  async membersAmong(definitionId: string, persons: readonly number[]): Promise<readonly Member[]> {
    return this.#members(definitionId, 'v.person = ANY($2::bigint[])', persons);
  }

  async sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    const number = (await this.definitionTable()).byId.get(definitionId)?.number ?? null;
    return this.queries.query<{ at: number; size: number }>(
      'SELECT hour AS at, size FROM profile_sizes WHERE definition = $1 AND hour >= $2 ORDER BY hour',
      [number, Math.ceil(since)],
    );
  }

  async count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<Counted> {
    const definitions = await this.definitionTable();
    const { count, some } = await countPersons(
      { condition, now, range, sample },
      { queries: this.queries, words: this.words, records: this.#records, definitions },
    );
    const names = await this.queries.query<{ person: number; user_id: string | null }>(
      'SELECT person, user_id FROM profile_persons WHERE person = ANY($1::bigint[]) ORDER BY person',
      [some],
    );
    const persons = await this.#number(
      'SELECT count(*) AS value FROM profile_persons WHERE person > $1 AND person <= $2',
      [range.after, range.upTo],
    );
    return { count, persons, sample: names.map(personNameOf) };
  }

  async rebuilding(): Promise<boolean> {
    return (await this.turn()).rebuilt !== null;
  }

  async erasure(id: string): Promise<ProfileErasure | null> {
    const [row] = await this.queries.query<{ document: string }>(
      'SELECT document FROM profile_erasures WHERE id = $1',
      [toText(id)],
    );
    return row ? (JSON.parse(row.document) as ProfileErasure) : null;
  }

  async erasing(): Promise<boolean> {
    return (await this.queries.query('SELECT FROM profile_erasures LIMIT 1')).length > 0;
  }

  protected async turn(): Promise<Turn> {
    return (await this.queries.query<Turn & { [name: string]: unknown }>(TURN))[0] ?? FIRST_TURN;
  }

  protected definitionTable(): Promise<DefinitionTable> {
    return readDefinitionTable(this.queries);
  }

  async #members(definitionId: string, where: string, ...values: readonly unknown[]): Promise<readonly Member[]> {
    const number = (await this.definitionTable()).byId.get(definitionId)?.number ?? null;
    const rows = await this.queries.query<{ person: number; user_id: string | null; value: string; since: number }>(
      `SELECT v.person, p.user_id, v.value, v.since FROM profile_values v JOIN profile_persons p ON p.person = v.person
       WHERE v.definition = $1 AND ${where}`,
      [number, ...values],
    );
    return rows.map((row) => ({ ...personNameOf(row), value: row.value, since: row.since || null }));
  }

  async #identities(where: string, values: readonly unknown[]): Promise<Identity[]> {
    const rows = await this.queries.query<{
      id: string;
      person: number;
      since: number | null;
      aliased: number | null;
    }>(`SELECT id, person, since, aliased FROM profile_identities ${where}`, values);
    return rows.map(({ id, person, since, aliased }) => ({ id: fromText(id), person, since, aliased }));
  }

  async #number(sql: string, values: readonly unknown[] = []): Promise<number> {
    return (await this.queries.query<{ value: number }>(sql, values))[0]?.value ?? 0;
  }
}

/** Stands for a definition that is gone where rows of it are left. */
const GONE = '';

function personNameOf({ person, user_id }: { person: number; user_id: string | null }): PersonName {
  return { person, userId: fromTextOrNull(user_id) };
}
