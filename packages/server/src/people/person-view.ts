import type { EventPlace, Identity, Needs, ProfileReader, Unjoined } from './contract.ts';
import type { PersonEvent } from './person.ts';
import type { PersonRecord } from './records.ts';

/** A person as pages show one. */
export interface PersonView {
  readonly person: number;
  readonly userId: string | null;
  readonly identities: readonly Identity[];
  /** Ids that stood beside the person's in calls and were not joined, newest first. */
  readonly unjoined: readonly Unjoined[];
  readonly traits: readonly { readonly name: string; readonly value: unknown; readonly at: number }[];
  /** Traits and groups that are left out because there are too many, or too long. */
  readonly notShown: number;
  readonly groups: readonly { readonly id: string; readonly traits: Readonly<Record<string, unknown>> }[];
  /** The newest events. */
  readonly events: EventsPage;
  /** Ids of the person's audiences. */
  readonly audiences: readonly string[];
  /** Values of computed traits, by the definition's id. */
  readonly computed: readonly { readonly definitionId: string; readonly value: unknown }[];
}

/** Events, newest first; `next`: where the next page begins, null at the end. */
export interface EventsPage {
  readonly items: readonly PersonEvent[];
  readonly next: EventPlace | null;
}

/** For `groupTraits`: reads the ids of the groups, and no trait that a definition could name. */
export const GROUP_IDS: ReadonlySet<string> = new Set(['']);

/** The facts that a page about a person needs. */
export const SHOWN: Needs = { traits: 'all', groupTraits: GROUP_IDS, events: [] };
const RECENT_EVENTS = 50;
/** Characters of JSON: nobody reads more of one person, and more would delay other reads. */
const SHOWN_CHARACTERS = 1_000_000;

/** Bounds for the traits of all groups of a person. */
const GROUP_TRAITS = { rows: 10_000, characters: SHOWN_CHARACTERS };

/** Takes values up to a size together, and counts the others. */
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

export async function viewPerson(
  reader: ProfileReader,
  { person, userId, who, values }: PersonRecord,
): Promise<PersonView> {
  const [identities, unjoined, events, ofGroups] = await Promise.all([
    reader.identitiesOf([person]),
    reader.unjoined(person),
    eventsPage(reader, person, RECENT_EVENTS, null),
    reader.traitsOfGroups([...who.groups.keys()], GROUP_TRAITS),
  ]);
  const shown = new Budget(SHOWN_CHARACTERS);
  const traits = [...who.traits]
    .map(([name, { value, at }]) => ({ name, value, at }))
    .filter((one) => shown.takes(one));
  const groups = [...ofGroups].map(([id, said]) => ({ id, traits: Object.fromEntries(said) }));
  const shownGroups = groups.filter((one) => shown.takes(one));
  return {
    person,
    userId,
    identities,
    // An id that was joined later is left out.
    unjoined: unjoined.filter((one) => !identities.some((identity) => identity.id === one.id)),
    traits,
    groups: shownGroups,
    notShown: shown.left + who.groups.size - ofGroups.size,
    events,
    audiences: [...who.audiences],
    computed: [...values].map(([definitionId, json]) => ({ definitionId, value: JSON.parse(json) })),
  };
}

/** Events of a person, newest first: all, or those before a place. */
export async function eventsPage(
  reader: ProfileReader,
  person: number,
  limit: number,
  before: EventPlace | null,
): Promise<EventsPage> {
  const events = await reader.recentEvents(person, limit + 1, before);
  const shown = new Budget(SHOWN_CHARACTERS);
  // Plain values, which can cross to another thread. The first event of a page is there even where it is longer than the bound.
  const items = events
    .slice(0, limit)
    .map(({ at, type, name, properties, messageId }) => ({ at, type, name, properties, messageId }))
    .filter((event, i) => shown.takes(event) || i === 0);
  return { items, next: items.length < events.length ? (items.at(-1) ?? null) : null };
}
