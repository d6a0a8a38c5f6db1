import { type Decision, type PersonUnion, type ProfileWriter, UNJOINED_OF_A_PERSON } from '../../people/contract.ts';
import { EventTally } from '../../people/event-tally.ts';
import { EVENTS_OF_A_PERSON, MOST_OF_A_PERSON } from '../../people/fact-bounds.ts';
import { newestUnjoined } from '../../people/identity.ts';
import type { KnownDefinitions } from './profile-definitions.ts';
import { profileReader } from './profile-reader.ts';
import { recordFacts } from './profile-recording.ts';
import type { ProfileSql } from './profile-sql.ts';
import { unitePersons, unjoinedOf } from './profile-union.ts';
import { inserting, json, type Statement, sql } from './sql.ts';

/** Persons per page when all members of a group change, or erased persons are swept. */
const PERSONS = 5_000;

/** The state that the writers of a process share. */
export class WriterMemory {
  readonly tally: EventTally = new EventTally();
  /**
   * How far `forget` has deleted the sent values of a definition: up to this key. A failed transaction loses it; then `forget`
   * starts from the first key.
   */
  forgotten: { readonly definition: number; readonly upTo: string } | null = null;
}

/** A decision under a definition with this number. */
export interface NumberedDecision extends Omit<Decision, 'definitionId'> {
  readonly definition: number;
}

/** The writes that each database does in its own way, besides `put`. */
export interface OwnWrites {
  /** Stores decided values, and when to decide again. The sizes are left to the caller. */
  decide(decisions: readonly NumberedDecision[], at: number): Promise<void>;
  /** Changes the dues of persons, by number of definition. Writes nothing if `change` changes nothing. */
  changeDues(persons: Iterable<number>, change: (dues: Map<number, number>, person: number) => void): Promise<void>;
  /** Moves decided values to the persons whom others become part of. If both have a value under a definition, the staying person's value stays. */
  moveValues(unions: readonly PersonUnion[]): Promise<void>;
  /** Deletes these persons and their decided values. */
  forgetDecided(persons: readonly number[]): Promise<void>;
  /** Deletes at most `limit` values of a definition; answers how many it deleted. */
  forgetValues(definition: number, limit: number): Promise<number>;
  /**
   * Deletes a page of the sent values of a definition, after a key (null: from the first). Answers the last key of the page, or
   * null if nothing follows. The search goes by user: an index by definition would cost each message more than it saves here.
   */
  forgetToldAfter(definition: number, key: string | null): Promise<string | null>;
  /** Counts messages that left the outbox. */
  messagesRemoved(count: number): void;
}

export type CommonWriter = Omit<ProfileWriter, 'newPersons' | 'tell' | 'wipe' | 'setRebuilding'>;

/** The writes of the profiles that both databases do in the same way, within a transaction. people/contract.ts says what each does. */
export function profileWriter(
  profiles: ProfileSql,
  own: OwnWrites,
  definitions: KnownDefinitions,
  memory: WriterMemory,
): CommonWriter {
  const { among, amongIds, amongUsers, document, put, read, tables } = profiles;
  const reader = profileReader(profiles, () => definitions.table());

  /** Answers how many rows a statement changed. */
  async function changed(statement: Statement): Promise<number> {
    return (await read(sql`${statement} RETURNING 1 AS one`)).length;
  }

  /** Adds rows to a table, except those that are there. */
  async function add(into: Statement, rows: readonly (readonly number[])[]): Promise<void> {
    const insert = (values: Statement): Statement => sql`INSERT INTO ${into} VALUES ${values} ON CONFLICT DO NOTHING`;
    for (const statement of inserting(rows, insert)) await read(statement);
  }

  /** Deletes persons and their decided values, but not their events. */
  async function forgetPersons(persons: readonly number[]): Promise<void> {
    await own.forgetDecided(persons);
    for (const table of [tables.identities, tables.traits, tables.memberships, tables.unjoined, tables.seen]) {
      await read(sql`DELETE FROM ${table} WHERE ${among(sql`person`, persons)}`);
    }
  }

  /** Keeps at most `most` rows of each of these persons: the first ones in the given order. */
  async function trim(
    persons: readonly number[],
    table: Statement,
    key: Statement,
    newestFirst: Statement,
    most: number,
  ): Promise<void> {
    if (persons.length === 0) return;
    await read(
      sql`DELETE FROM ${table} WHERE (person, ${key}) IN (SELECT person, ${key} FROM (
        SELECT person, ${key}, row_number() OVER (PARTITION BY person ORDER BY ${newestFirst}) AS place
        FROM ${table} WHERE ${among(sql`person`, persons)}) AS placed WHERE place > ${most})`,
    );
  }

  function trimUnjoined(persons: readonly number[]): Promise<void> {
    return trim(persons, tables.unjoined, sql`id`, sql`at DESC, id`, UNJOINED_OF_A_PERSON);
  }

  /** Keeps only the newest events of persons who have too many, so that deciding about a person stays fast. Answers those persons. */
  async function trimEvents(): Promise<readonly number[]> {
    const trimmed: number[] = [];
    for (const person of memory.tally.take()) {
      if ((await changed(removingOldest(person, tables))) > 0) trimmed.push(person);
    }
    return trimmed;
  }

  /** Deletes a page of sent values. Answers true if nothing is left. */
  async function forgetTold(definition: number): Promise<boolean> {
    const { forgotten } = memory;
    const upTo = await own.forgetToldAfter(definition, forgotten?.definition === definition ? forgotten.upTo : null);
    if (upTo !== null) memory.forgotten = { definition, upTo };
    return upTo === null;
  }

  async function eachMember(group: number, run: (members: readonly number[]) => Promise<void>): Promise<void> {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: { person: number }[] = await read<{ person: number }>(
        sql`SELECT person FROM ${tables.memberships} AS m WHERE grp = ${group} AND person > ${after}
          ORDER BY person LIMIT ${PERSONS}`,
      );
      const members = rows.map(({ person }) => person);
      await run(members);
      after = members.length < PERSONS ? undefined : members.at(-1);
    }
  }

  const writer: CommonWriter = {
    ...reader,
    setPositions: (positions) => put('sources', [...positions]),

    async unite(unions) {
      if (unions.length === 0) return;
      for (const { person, events, characters } of await unitePersons(profiles, unions)) {
        memory.tally.add(person, events, characters);
      }
      await writer.putUnjoined(await unjoinedOf(profiles, unions));
      await own.moveValues(unions);
      await forgetPersons(unions.map(({ from }) => from));
      const staying = unions.map(({ into }) => into);
      await trimUnjoined(staying);
      await trim(staying, tables.traits, sql`name`, sql`at DESC, position DESC`, MOST_OF_A_PERSON);
      await trim(staying, tables.memberships, sql`grp`, sql`grp`, MOST_OF_A_PERSON);
    },

    putIdentities(identities) {
      const byId = new Map(identities.map((identity) => [identity.id, identity]));
      return put(
        'identities',
        Array.from(byId.values(), ({ id, person, since, aliased }) => [id, person, since, aliased]),
      );
    },

    putSeen: (seen) =>
      put(
        'seen',
        seen.map(({ person, sourceId }) => [person, sourceId]),
      ),

    async putUnjoined(unjoined) {
      await put(
        'unjoined',
        newestUnjoined(unjoined).map(({ person, id, sourceId, why, at }) => [person, id, sourceId, why, at]),
      );
      await trimUnjoined(unjoined.map(({ person }) => person));
    },

    putPersons: (persons) => put('persons', [...new Map(persons.map(({ person, userId }) => [person, userId]))]),

    async record(facts) {
      const changes = await recordFacts(profiles, facts, memory.tally);
      return { changes, trimmed: await trimEvents() };
    },

    async decide(decisions, at) {
      const numberOf = await definitions.numbers();
      const numbered = decisions
        .map(({ definitionId, ...decision }) => ({ ...decision, definition: numberOf(definitionId) }))
        .filter(({ definition }) => definition !== 0);
      await own.decide(numbered, at);
      const grown = new Map<number, number>();
      for (const { definition, value, before } of numbered) {
        const change = Number(value !== null) - Number(before !== null);
        grown.set(definition, (grown.get(definition) ?? 0) + change);
      }
      const changes = [...grown].filter(([, change]) => change !== 0);
      if (changes.length === 0) return;
      await read(
        sql`UPDATE ${tables.definitions} AS d SET size = d.size + g.staying FROM ${profiles.pairs(changes)} AS g
          WHERE d.number = g.ending`,
      );
    },

    async told(ids, now) {
      const gone = await read<{ definition: number }>(
        sql`DELETE FROM ${tables.outbox} WHERE ${among(sql`id`, ids)} RETURNING definition`,
      );
      own.messagesRemoved(gone.length);
      const numbers = [...new Set(gone.map(({ definition }) => definition))];
      await read(sql`UPDATE ${tables.definitions} SET sent_at = ${now} WHERE ${among(sql`number`, numbers)}`);
    },

    async makeDue(dues) {
      const numberOf = await definitions.numbers();
      const byPerson = Map.groupBy(dues, ({ person }) => person);
      await own.changeDues(byPerson.keys(), (due, person) => {
        for (const { definitionId, at } of byPerson.get(person) ?? []) advance(due, numberOf(definitionId), at);
      });
    },

    async makeGroupsDue(dues, at) {
      const numberOf = await definitions.numbers();
      const groupOf = await profiles.words.known(dues.map(({ groupId }) => groupId));
      const byGroup = Map.groupBy(dues, ({ groupId }) => groupOf(groupId) ?? 0);
      for (const [group, some] of byGroup) {
        const numbers = some.flatMap(({ definitionIds }) => definitionIds.map(numberOf));
        await eachMember(group, (members) =>
          own.changeDues(members, (due) => {
            for (const number of numbers) advance(due, number, at);
          }),
        );
      }
    },

    async notDue(dues) {
      const last = dues.at(-1);
      if (!last) return;
      const { byNumber } = await definitions.table();
      const numberOf = await definitions.numbers();
      const byPerson = Map.groupBy(dues, ({ person }) => person);
      await own.changeDues(byPerson.keys(), (left, person) => {
        for (const { definitionId } of byPerson.get(person) ?? []) left.delete(numberOf(definitionId));
        // Dues of deleted definitions have no id by which the caller could name them.
        for (const [number, at] of left) if (!byNumber.has(number) && at <= last.at) left.delete(number);
      });
    },

    async putDefinition({ size: _size, sentAt: _sentAt, ...definition }) {
      const { id, what, sourceId } = definition;
      const numberOf = await profiles.words.made([id]);
      await read(
        sql`INSERT INTO ${tables.definitions} (number, id, audience, ${document}, size)
          VALUES (${numberOf(id)}, ${id}, ${'audience' in what ? 1 : 0}, ${json(definition)}, 0)
          ON CONFLICT (number) DO UPDATE SET audience = excluded.audience, ${document} = excluded.${document}`,
      );
      await read(sql`INSERT INTO ${tables.ownSources} (id) VALUES (${sourceId}) ON CONFLICT DO NOTHING`);
      definitions.changed();
    },

    async forget(definitionId, limit) {
      const number = (await definitions.numbers())(definitionId);
      let left = limit;
      const some = async (table: Statement, key: Statement): Promise<number> => {
        const first = sql`SELECT ${key} FROM ${table} WHERE definition = ${number} LIMIT ${left}`;
        const gone = await changed(sql`DELETE FROM ${table} WHERE definition = ${number} AND ${key} IN (${first})`);
        left -= gone;
        return gone;
      };
      own.messagesRemoved(await some(tables.outbox, sql`id`));
      await some(tables.sizes, sql`hour`);
      left -= await own.forgetValues(number, left);
      if (left <= 0 || !(await forgetTold(number))) return false;
      // Dues of this definition stay; they are ignored when their time comes.
      await read(sql`DELETE FROM ${tables.definitions} WHERE number = ${number}`);
      definitions.changed();
      return true;
    },

    async keepSizes(hour) {
      const numberOf = await definitions.numbers();
      const rows = (await reader.definitions())
        .filter(({ createdAt, job }) => createdAt <= hour && job?.kind !== 'compute')
        .map(({ id, size }) => [numberOf(id), hour, size]);
      await add(sql`${tables.sizes} (definition, hour, size)`, rows);
      const ahead = await changed(sql`DELETE FROM ${tables.sizes} WHERE hour > ${hour + 3_600_000}`);
      return ahead > 0;
    },

    async erase(erasure, persons) {
      await read(
        sql`INSERT INTO ${tables.erasures} (id, ${document}) VALUES (${erasure.id}, ${json(erasure)})
          ON CONFLICT (id) DO UPDATE SET ${document} = excluded.${document}`,
      );
      await forgetPersons(persons);
      await add(
        sql`${tables.erased} (person)`,
        persons.map((person) => [person]),
      );
      const ids = erasure.ids.flat();
      await read(sql`DELETE FROM ${tables.unjoined} WHERE ${amongIds(ids)}`);
      await read(sql`DELETE FROM ${tables.told} WHERE ${amongUsers(ids)}`);
      own.messagesRemoved(await changed(sql`DELETE FROM ${tables.outbox} WHERE ${amongUsers(ids)}`));
    },

    async endErasure(id) {
      await read(sql`DELETE FROM ${tables.erasures} WHERE id = ${id}`);
    },

    async sweep(limit) {
      const rows = await read<{ person: number }>(sql`SELECT person FROM ${tables.erased} AS e LIMIT ${PERSONS}`);
      const isErased = among(
        sql`person`,
        rows.map(({ person }) => person),
      );
      const some = sql`SELECT person, at, message_id FROM ${tables.events} AS e WHERE ${isErased} LIMIT ${limit}`;
      const gone = await changed(sql`DELETE FROM ${tables.events} WHERE (person, at, message_id) IN (${some})`);
      if (gone >= limit) return false;
      await read(sql`DELETE FROM ${tables.erased} WHERE ${isErased}`);
      return rows.length < PERSONS;
    },

    async expireEvents(before, from, limit) {
      const { kinds, events } = tables;
      const old = sql`SELECT e.person, e.at, e.message_id FROM ${kinds} AS k CROSS JOIN ${events} AS e
        WHERE k.number >= ${from} AND e.kind = k.number AND e.at < ${before} ORDER BY k.number LIMIT ${limit}`;
      const gone = await read<{ person: number; kind: number }>(
        sql`DELETE FROM ${events} WHERE (person, at, message_id) IN (${old}) RETURNING person, kind`,
      );
      const last = gone.reduce((highest, { kind }) => Math.max(highest, kind), from);
      return { persons: [...new Set(gone.map(({ person }) => person))], next: gone.length < limit ? null : last };
    },

    async expirePersons(before, { after, upTo }) {
      const { persons, events, traits, memberships } = tables;
      const quiet = await read<{ person: number }>(
        sql`SELECT p.person FROM ${persons} AS p WHERE p.person > ${after} AND p.person <= ${upTo} AND p.user_id IS NULL
          AND NOT EXISTS (SELECT 1 FROM ${events} AS e WHERE e.person = p.person)
          AND NOT EXISTS (SELECT 1 FROM ${traits} AS t WHERE t.person = p.person AND t.at >= ${before})
          AND NOT EXISTS (SELECT 1 FROM ${memberships} AS m WHERE m.person = p.person)`,
      );
      if (quiet.length > 0) await forgetPersons(quiet.map(({ person }) => person));
    },
  };
  return writer;
}

/**
 * Deletes the oldest events of a person beyond the limits. The limit `alike` is per name for track calls, because a rule may
 * ask about one name; for other calls it is per type.
 */
function removingOldest(person: number, { events, kinds }: ProfileSql['tables']): Statement {
  const most = EVENTS_OF_A_PERSON;
  return sql`DELETE FROM ${events} WHERE (person, at, message_id) IN (
    SELECT person, at, message_id FROM (
      SELECT e.person, e.at, e.message_id, row_number() OVER newest AS place, sum(length(e.properties)) OVER newest AS characters,
        row_number() OVER (PARTITION BY k.type, CASE k.type WHEN 'track' THEN k.number END
          ORDER BY e.at DESC, e.message_id DESC) AS among_alike
      FROM ${events} AS e JOIN ${kinds} AS k ON k.number = e.kind WHERE e.person = ${person}
      WINDOW newest AS (ORDER BY e.at DESC, e.message_id DESC)) AS placed
    WHERE among_alike > ${most.alike} OR place > ${most.events} OR characters > ${most.characters})`;
}

/** Makes a definition due at a time, unless it is due earlier. */
function advance(dues: Map<number, number>, definition: number, at: number): void {
  dues.set(definition, Math.min(dues.get(definition) ?? at, at));
}
