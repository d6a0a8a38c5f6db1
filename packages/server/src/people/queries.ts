import type { Definition, Identity, Member, Needs, PersonName, ProfileReader, Size } from './contract.ts';
import type { Condition } from './definition.ts';
import type { Person, PersonEvent } from './person.ts';
import { compileRule, needsOf } from './rules.ts';
import { explain, type Reason } from './why.ts';

/** A person as people look at one. */
export interface PersonView {
  readonly person: number;
  readonly userId: string | null;
  readonly identities: readonly Identity[];
  readonly traits: readonly { readonly name: string; readonly value: unknown; readonly at: number }[];
  readonly groups: readonly { readonly id: string; readonly traits: Readonly<Record<string, unknown>> }[];
  /** The newest, newest first. */
  readonly events: readonly PersonEvent[];
  /** Ids of the audiences they are in. */
  readonly audiences: readonly string[];
  /** Values of computed traits, by the definition's id. */
  readonly computed: readonly { readonly definitionId: string; readonly value: unknown }[];
}

export interface Preview {
  /** How many members there would be now. */
  readonly count: number;
  readonly sample: readonly PersonName[];
}

const EVERYTHING: Needs = { traits: 'all', groupTraits: 'all', events: [], decided: 'all' };
const RECENT_EVENTS = 50;

/** Questions about persons, answered from what is stored; none of them changes anything or holds up those that do. */
export class PeopleQueries {
  readonly #reader: ProfileReader;
  readonly #close: () => void;

  constructor(reader: ProfileReader, close: () => void) {
    this.#reader = reader;
    this.#close = close;
  }

  preview(condition: Condition, now: number, sample: number): Promise<Preview> {
    return this.#reader.count(condition, now, sample);
  }

  members(definitionId: string, after: number, limit: number): Promise<readonly Member[]> {
    return this.#reader.members(definitionId, after, limit);
  }

  sizes(definitionId: string, since: number): Promise<readonly Size[]> {
    return this.#reader.sizes(definitionId, since);
  }

  /** Null for an id that no call has carried. */
  async person(id: string, now: number): Promise<PersonView | null> {
    const [identity] = await this.#reader.identities([id]);
    const [record] = identity ? await this.#reader.load([identity.person], EVERYTHING, now) : [];
    if (!record) return null;
    const [identities, events] = await Promise.all([
      this.#reader.identitiesOf([record.id]),
      this.#reader.recentEvents(record.id, RECENT_EVENTS),
    ]);
    const { traits, groups, audiences } = record.person;
    return {
      person: record.id,
      userId: record.userId,
      identities,
      traits: [...traits].map(([name, { value, at }]) => ({ name, value, at })),
      groups: [...groups].map(([group, values]) => ({ id: group, traits: Object.fromEntries(values) })),
      events: events.map(({ at, type, name, properties, messageId }) => ({ at, type, name, properties, messageId })),
      audiences: [...audiences],
      computed: [...record.values].map(([definitionId, json]) => ({ definitionId, value: JSON.parse(json) })),
    };
  }

  /** Why a person is in an audience, or out of it; null for an id that no call has carried. */
  async why(definition: Definition, id: string, now: number): Promise<Reason | null> {
    const { what } = definition;
    if (!('audience' in what)) throw new Error('Only an audience has members.');
    const [identity] = await this.#reader.identities([id]);
    const person = identity && (await this.#personFor(definition, identity.person, now));
    return person ? explain(what.audience, person, now) : null;
  }

  close(): void {
    this.#close();
  }

  async #personFor(definition: Definition, number: number, now: number): Promise<Person | undefined> {
    const [record] = await this.#reader.load([number], needsOf([compileRule(definition)]), now);
    return record?.person;
  }
}
