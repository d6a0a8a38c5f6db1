import { compileTrait } from './compute.ts';
import type { Definition, Identity, Member, Needs, PersonName, PersonRange, ProfileReader, Size } from './contract.ts';
import type { Condition, TraitDefinition } from './definition.ts';
import { mentions } from './mentions.ts';
import type { PersonEvent } from './person.ts';
import { type PersonRecord, readPersons } from './records.ts';
import { compileRule, needsOf } from './rules.ts';
import { explain, type Reason } from './why.ts';

/** A person as people look at one. */
export interface PersonView {
  readonly person: number;
  readonly userId: string | null;
  readonly identities: readonly Identity[];
  readonly traits: readonly { readonly name: string; readonly value: unknown; readonly at: number }[];
  /** Traits and groups that are left out because there are too many, or too long. */
  readonly notShown: number;
  readonly groups: readonly { readonly id: string; readonly traits: Readonly<Record<string, unknown>> }[];
  /** The newest, newest first. */
  readonly events: readonly PersonEvent[];
  /** Ids of the audiences they are in. */
  readonly audiences: readonly string[];
  /** Values of computed traits, by the definition's id. */
  readonly computed: readonly { readonly definitionId: string; readonly value: unknown }[];
}

/** A person with one of their ids: the user id where there is one. */
export interface KnownPerson extends PersonName {
  readonly id: string;
}

/** Part of a preview: what the persons of one range add to it. */
export interface CountedRange {
  readonly count: number;
  readonly persons: number;
  readonly sample: readonly KnownPerson[];
}

const EVERYTHING: Needs = { traits: 'all', groupTraits: 'all', events: [] };
const NOTHING: Needs = { traits: new Set(), groupTraits: new Set(), events: [] };
const RECENT_EVENTS = 50;
/** Persons a trait's preview looks at: those of so many of its newest events, and no more than these. */
const LATEST_EVENTS = 2_000;
const LOOKED_AT = 200;
/** Identities a search reads for each person it answers: one person may have many that begin alike. */
const IDS_PER_PERSON = 10;

/** Characters of JSON: more of one person reads nobody, and it would hold up everybody. */
const SHOWN_CHARACTERS = 1_000_000;

/** Takes values until they are too much altogether, and counts the rest. */
class Budget {
  #room: number;
  left = 0;

  constructor(characters: number) {
    this.#room = characters;
  }

  takes(value: object): boolean {
    this.#room -= JSON.stringify(value).length;
    if (this.#room < 0) this.left += 1;
    return this.#room >= 0;
  }
}

/** Questions about persons, answered from what is stored; none of them changes anything or holds up those that do. */
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

  persons(): Promise<number> {
    return this.#reader.persons();
  }

  async count(condition: Condition, now: number, range: PersonRange, sample: number): Promise<CountedRange> {
    const counted = await this.#reader.count(condition, now, range, sample);
    return { ...counted, sample: await this.#known(counted.sample) };
  }

  /** What a trait would be for persons who did lately what it is computed from: those of them who have a value. */
  async tryTrait(trait: TraitDefinition, now: number, sample: number): Promise<readonly (Member & KnownPerson)[]> {
    const { events } = mentions(trait);
    const compute = compileTrait(trait);
    const persons = (await this.#reader.latest(events, now, LATEST_EVENTS)).slice(0, LOOKED_AT);
    const valued: Member[] = [];
    for (const person of persons) {
      if (valued.length === sample) break;
      const [record] = await readPersons(this.#reader, [person], { ...NOTHING, events }, new Set(), now);
      const value = record && compute(record.who, now).value;
      if (value !== undefined) valued.push({ person, userId: record?.userId ?? null, value: JSON.stringify(value) });
    }
    return this.#known(valued);
  }

  async members(definitionId: string, after: number, limit: number): Promise<readonly (Member & KnownPerson)[]> {
    return this.#known(await this.#reader.members(definitionId, after, limit));
  }

  sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    return this.#reader.sizes(definitionId, since);
  }

  /** Persons one of whose ids, which is the one answered, begins with a text. */
  async find(prefix: string, limit: number): Promise<readonly KnownPerson[]> {
    const found = new Map<number, string>();
    for (const { id, person } of await this.#reader.find(prefix, limit * IDS_PER_PERSON)) {
      if (found.size < limit && !found.has(person)) found.set(person, id);
    }
    const names = await this.#reader.names([...found.keys()]);
    const userIds = new Map(names.map(({ person, userId }) => [person, userId]));
    return [...found].map(([person, id]) => ({ person, userId: userIds.get(person) ?? null, id }));
  }

  /** Null for an id that no call has carried. */
  async person(id: string, now: number): Promise<PersonView | null> {
    const record = await this.#record(id, EVERYTHING, now);
    if (!record) return null;
    const [identities, events] = await Promise.all([
      this.#reader.identitiesOf([record.person]),
      this.#reader.recentEvents(record.person, RECENT_EVENTS),
    ]);
    const { traits, groups, audiences } = record.who;
    const shown = new Budget(SHOWN_CHARACTERS);
    return {
      person: record.person,
      userId: record.userId,
      identities,
      traits: [...traits].map(([name, { value, at }]) => ({ name, value, at })).filter((one) => shown.takes(one)),
      groups: [...groups]
        .map(([group, values]) => ({ id: group, traits: Object.fromEntries(values) }))
        .filter((one) => shown.takes(one)),
      notShown: shown.left,
      events: events.map(({ at, type, name, properties, messageId }) => ({ at, type, name, properties, messageId })),
      audiences: [...audiences],
      computed: [...record.values].map(([definitionId, json]) => ({ definitionId, value: JSON.parse(json) })),
    };
  }

  /** Why a person is in an audience, or out of it; null for an id that no call has carried. */
  async why(definition: Definition, id: string, now: number): Promise<Reason | null> {
    const { what } = definition;
    if (!('audience' in what)) throw new Error('Only an audience has members.');
    const record = await this.#record(id, needsOf([compileRule(definition)]), now);
    return record ? explain(what.audience, record.who, now) : null;
  }

  close(): void | Promise<void> {
    return this.#close();
  }

  async #record(id: string, needs: Needs, now: number): Promise<PersonRecord | undefined> {
    const [identity] = await this.#reader.identities([id]);
    return identity && (await readPersons(this.#reader, [identity.person], needs, 'all', now))[0];
  }

  /** With the first of their ids where there is no user id. */
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
