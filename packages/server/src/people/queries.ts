import type { LogEntry } from '../core/event.ts';
import type { Reached } from '../core/reached.ts';
import { compileTrait } from './compute.ts';
import {
  type Counted,
  type Definition,
  type EventPlace,
  type HeldKind,
  type Identity,
  type Member,
  type MemberPlace,
  NAMING_TRAITS,
  type Needs,
  type PersonName,
  type PersonRange,
  type ProfileReader,
  type Size,
} from './contract.ts';
import type { Condition, TraitDefinition } from './definition.ts';
import { anonymousAmong, spokenBy, strangersAmong } from './erasing.ts';
import { isTooLong, MOST_OF_A_PERSON } from './fact-bounds.ts';
import { isUser } from './identity.ts';
import { mentions } from './mentions.ts';
import { type EventsPage, eventsPage, type PersonView, SHOWN, viewPerson } from './person-view.ts';
import { type PersonRecord, readPersons } from './records.ts';
import { compileRule, needsOf, Rules } from './rules.ts';
import { type Suggestible, type Suggestions, suggest } from './suggestions.ts';
import { explain, type Reason } from './why.ts';

/** A person with one of their ids: the user id where there is one. */
export interface KnownPerson extends PersonName {
  readonly id: string;
}

/** A person and what was found: a trait, or an id where `trait` is null. */
export interface FoundPerson extends KnownPerson {
  readonly trait: string | null;
  readonly value: string;
}

/** What a search found. `more`: other persons may match too; a longer text finds them. */
export interface Found<P> {
  readonly items: readonly P[];
  readonly more: boolean;
}

/** A member as pages show one. */
export interface KnownMember extends Member, KnownPerson {
  /** The person's ids, first the one under which messages are sent; at most `IDS_SHOWN`. */
  readonly ids: readonly string[];
  /** The known traits of `NAMING_TRAITS`. */
  readonly names: Readonly<Record<string, unknown>>;
}

/** A person who has several user ids. */
export interface JoinedPerson {
  readonly userId: string | null;
  readonly userIds: readonly string[];
  /** Whether an alias call named one of these ids. By today's rules that was an alias of a server. */
  readonly isAliased: boolean;
}

/** An identify call, or one that names a group. */
export interface KeptCall extends Pick<LogEntry, 'sourceId' | 'position'> {
  /** Id of the person that the call names. */
  readonly id: string;
  /** Traits of the person or the group. */
  readonly traits: Readonly<Record<string, unknown>>;
  readonly groupId: string | null;
}

export interface NotKept {
  readonly traits: readonly string[];
  /** The group in the call, where the person is not in it. */
  readonly group: string | null;
}

/** A person and the value, as JSON, that a trait would have. */
export type ValuedPerson = KnownPerson & Pick<Member, 'value'>;

/** A part of a preview: the counts of one range of persons. */
export interface CountedRange extends Counted {
  readonly sample: readonly KnownPerson[];
}

const NOTHING: Needs = { traits: new Set(), groupTraits: new Set(), events: [] };
/** A trait's preview looks at the persons of this many newest events, and at no more persons than that. */
const LATEST_EVENTS = 2_000;
const LOOKED_AT = 200;
/** Identities that a search reads for each person it answers: several ids of one person may begin alike. */
const IDS_PER_PERSON = 10;
/** Identities and names that a search among members reads: most may be of persons who are no members. */
const AMONG = 5_000;
const IDS_SHOWN = 10;

/** Bounds of what a question about a deletion answers. */
const JOINED_RANGE = 50_000;
const REACHED = { ids: 10_000, others: 100, page: 200 };

/** Questions about persons, answered from the store. They change nothing, and delay no change. */
export class PeopleQueries {
  readonly #reader: ProfileReader;
  readonly #close: () => void | Promise<void>;

  constructor(reader: ProfileReader, close: () => void | Promise<void>) {
    this.#reader = reader;
    this.#close = close;
  }

  lastPerson(): Promise<number> {
    return this.#reader.lastPerson();
  }

  /** The lowest number of a person; 0 where there is none. After a rebuild it is higher than the former `lastPerson`. */
  async firstPerson(): Promise<number> {
    return (await this.#reader.namesAfter(0, 1))[0]?.person ?? 0;
  }

  persons(): Promise<number> {
    return this.#reader.persons();
  }

  async count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<CountedRange> {
    const counted = await this.#reader.count(condition, now, range, sample);
    return { ...counted, sample: await this.#known(counted.sample) };
  }

  /** The values that a trait would have for persons whose latest events it is computed from; persons without a value are left out. */
  async tryTrait(trait: TraitDefinition, now: number, sample: number): Promise<readonly ValuedPerson[]> {
    const { events } = mentions(trait);
    const compute = compileTrait(trait);
    const persons = (await this.#reader.latest(events, now, LATEST_EVENTS)).slice(0, LOOKED_AT);
    const valued: Omit<Member, 'since'>[] = [];
    for (const person of persons) {
      if (valued.length === sample) break;
      const [record] = await readPersons(this.#reader, [person], { ...NOTHING, events }, new Set(), now);
      const value = record && compute(record.who, now).value;
      if (value !== undefined) valued.push({ person, userId: record?.userId ?? null, value: JSON.stringify(value) });
    }
    return this.#known(valued);
  }

  /** Members, those who joined last first. */
  async members(definitionId: string, before: MemberPlace | null, limit: number): Promise<readonly KnownMember[]> {
    return this.#described(await this.#reader.latestMembers(definitionId, before, limit));
  }

  /** Members among the persons that `find` finds, those who joined last first. */
  async findMembers(definitionId: string, prefix: string, limit: number): Promise<Found<KnownMember>> {
    const ids = await this.#reader.find(prefix, AMONG);
    const names = await this.#reader.findNames(prefix, AMONG);
    const found = [...new Set([...ids, ...names].map(({ person }) => person))];
    const members = (await this.#reader.membersAmong(definitionId, found)).toSorted(
      (a, b) => (b.since ?? 0) - (a.since ?? 0) || b.person - a.person,
    );
    const more = members.length > limit || ids.length === AMONG || names.length === AMONG;
    return { items: await this.#described(members.slice(0, limit)), more };
  }

  sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    return this.#reader.sizes(definitionId, since);
  }

  /** Persons with an id, or a naming trait, that begins with a text; those found by an id first. */
  async find(prefix: string, limit: number): Promise<Found<FoundPerson>> {
    const rows = limit * IDS_PER_PERSON;
    const found = new Map<number, Pick<FoundPerson, 'trait' | 'value'>>();
    const ids = await this.#reader.find(prefix, rows);
    for (const { id, person } of ids) if (!found.has(person)) found.set(person, { trait: null, value: id });
    const isNamed = prefix !== '' && found.size <= limit;
    const named = isNamed ? await this.#reader.findNames(prefix, rows) : [];
    for (const { person, trait, value } of named) {
      if (!found.has(person)) found.set(person, { trait, value: String(value) });
    }
    const some = [...found].slice(0, limit);
    const names = new Map((await this.#reader.names(some.map(([person]) => person))).map((one) => [one.person, one]));
    const persons = await this.#known(
      some.map(([person, by]) => ({ person, userId: names.get(person)?.userId ?? null, ...by })),
    );
    return {
      items: persons.map((person) => (person.trait === null ? { ...person, id: person.value } : person)),
      more: found.size > limit || ids.length === rows || named.length === rows,
    };
  }

  /** Null for an id that no call has carried. */
  async person(id: string, now: number): Promise<PersonView | null> {
    const record = await this.#record(id, SHOWN, now);
    return record ? viewPerson(this.#reader, record) : null;
  }

  /** A person's events before one; null for an id that no call has carried. */
  async events(id: string, before: EventPlace | null, limit: number): Promise<EventsPage | null> {
    const [identity] = await this.#reader.identities([id]);
    return identity ? eventsPage(this.#reader, identity.person, limit, before) : null;
  }

  /** Why a person is in an audience, or out of it; null for an id that no call has carried. */
  async why(definition: Definition, id: string, now: number): Promise<Reason | null> {
    const { what } = definition;
    if (!('audience' in what)) throw new Error('Only an audience has members.');
    const rule = compileRule(definition);
    const rules = new Rules(await this.#reader.definitions());
    const ids = rules.askedBy(rule);
    const asked = rules.order.filter((other) => ids.has(other.definition.id));
    const record = await this.#record(id, needsOf([rule, ...asked]), now);
    if (!record) return null;
    // Each audience comes after those it asks about.
    const changes = new Map<string, number | null>();
    for (const { definition: other } of asked) {
      if ('audience' in other.what) {
        changes.set(other.id, explain(other.what.audience, record.who, now, changes).changesAt);
      }
    }
    return explain(what.audience, record.who, now, changes);
  }

  /** Persons after a number with several user ids, at most `limit`. `next`: the number after which to continue, null at the end. */
  async joined(
    after: number,
    limit: number,
  ): Promise<{ readonly items: readonly JoinedPerson[]; readonly next: number | null }> {
    const upTo = Math.min(after + JOINED_RANGE, await this.#reader.lastPerson());
    const persons = await this.#reader.several({ after, upTo });
    const some = persons.slice(0, limit);
    const identities = Map.groupBy(await this.#reader.identitiesOf(some), ({ person }) => person);
    const names = new Map((await this.#reader.names(some)).map(({ person, userId }) => [person, userId]));
    const items = some.map((person): JoinedPerson => {
      const users = (identities.get(person) ?? []).filter(isUser);
      const isAliased = users.some(({ aliased }) => aliased !== null);
      return { userId: names.get(person) ?? null, userIds: users.map(({ id }) => id), isAliased };
    });
    const end = persons.length > limit ? (some.at(-1) ?? upTo) : upTo;
    return { items, next: end < (await this.#reader.lastPerson()) ? end : null };
  }

  /**
   * The traits and the group of a call that the profiles did not keep, because they were too many or too long. Nothing while the
   * call is not taken in, and nothing for calls of the profiles themselves.
   */
  async notKept({ id, sourceId, position, traits, groupId }: KeptCall): Promise<NotKept> {
    const kept: NotKept = { traits: [], group: null };
    if (((await this.#reader.positions()).get(sourceId) ?? 0) < position) return kept;
    const [identity] = await this.#reader.identities([id]);
    // The id was taken out, or the person erased, since.
    if (!identity || (await this.#reader.ownSources()).has(sourceId)) return kept;
    const { person } = identity;
    const full = async (kind: HeldKind) => (await this.#reader.held(kind, [person], MOST_OF_A_PERSON)).get(person);
    if (groupId !== null && (await full('groups'))?.has(groupId) === false) return { traits: [], group: groupId };
    const names =
      groupId === null
        ? await full('traits')
        : (await this.#reader.groupTraits([groupId], MOST_OF_A_PERSON)).get(groupId);
    const leftOut = Object.entries(traits).filter(([name, value]) => isTooLong(value) || names?.has(name) === false);
    return { traits: leftOut.map(([name]) => name), group: null };
  }

  suggest(asked: Suggestible, now: number): Promise<Suggestions> {
    return suggest(this.#reader, asked, now);
  }

  countUnjoined(sourceId: string, limit: number): Promise<number> {
    return this.#reader.countUnjoined(sourceId, limit);
  }

  async reach(userIds: readonly string[]): Promise<Reached> {
    const asked = new Set(userIds);
    const known = await this.#reader.identities(userIds);
    const named = new Map(known.map(({ id, person }) => [person, id]));
    const ids: string[] = [];
    const anonymousIds: string[] = [];
    const others: Reached['others'][number][] = [];
    const persons = [...named.keys()];
    const sources = new Set<string>();
    const speak = async (identities: readonly Identity[]): Promise<void> => {
      for (const spoken of (await spokenBy(this.#reader, identities)).values())
        for (const id of spoken) sources.add(id);
    };
    await speak(strangersAmong(userIds, new Map(known.map(({ id, person }) => [id, person]))));
    let count = 0;
    for (let start = 0; start < persons.length; start += REACHED.page) {
      const page = persons.slice(start, start + REACHED.page);
      const identities = await this.#reader.identitiesOf(page);
      await speak(identities);
      count += identities.length;
      const first = identities.slice(0, REACHED.ids - ids.length);
      ids.push(...first.map(({ id }) => id));
      anonymousIds.push(...anonymousAmong(first, userIds));
      for (const [person, theirs] of Map.groupBy(identities, (identity) => identity.person)) {
        const more = theirs.filter((identity) => isUser(identity) && !asked.has(identity.id)).map(({ id }) => id);
        if (more.length > 0 && others.length < REACHED.others)
          others.push({ userId: named.get(person) ?? '', others: more });
      }
    }
    return { persons: persons.length, ids, anonymousIds, count, sources: [...sources], others };
  }

  close(): void | Promise<void> {
    return this.#close();
  }

  /** Between the two reads the person may become part of another one, who has the id then: look it up again. */
  async #record(id: string, needs: Needs, now: number, before?: number): Promise<PersonRecord | undefined> {
    const [identity] = await this.#reader.identities([id]);
    if (!identity || identity.person === before) return undefined;
    const [record] = await readPersons(this.#reader, [identity.person], needs, 'all', now);
    return record ?? this.#record(id, needs, now, identity.person);
  }

  async #described(members: readonly Member[]): Promise<readonly KnownMember[]> {
    const persons = members.map(({ person }) => person);
    const ids = Map.groupBy(await this.#reader.identitiesOf(persons), ({ person }) => person);
    const named = await this.#reader.facts(persons, { ...NOTHING, traits: new Set(NAMING_TRAITS) }, 0);
    return members.map((member) => {
      const others = (ids.get(member.person) ?? []).map(({ id }) => id).filter((id) => id !== member.userId);
      const all = [...(member.userId === null ? [] : [member.userId]), ...others.toSorted()];
      const traits = named.get(member.person)?.traits;
      return {
        ...member,
        id: all[0] ?? '',
        ids: all.slice(0, IDS_SHOWN),
        names: Object.fromEntries(NAMING_TRAITS.flatMap((name) => namedBy(name, traits?.get(name)))),
      };
    });
  }

  /** The persons with one of their ids each: the first one where there is no user id. */
  async #known<P extends PersonName>(persons: readonly P[]): Promise<readonly (P & KnownPerson)[]> {
    const nameless = persons.flatMap(({ person, userId }) => (userId === null ? [person] : []));
    const ids = new Map<number, string>();
    for (const { person, id } of await this.#reader.identitiesOf(nameless)) {
      const known = ids.get(person);
      if (known === undefined || id < known) ids.set(person, id);
    }
    return persons.map((one) => ({ ...one, id: one.userId ?? ids.get(one.person) ?? '' }));
  }
}

function namedBy(name: string, trait: { readonly value: unknown } | undefined): readonly [string, unknown][] {
  return trait === undefined || trait.value === null ? [] : [[name, trait.value]];
}
