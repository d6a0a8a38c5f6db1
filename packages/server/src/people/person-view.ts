import type { EventPlace, Identity, Needs, ProfileReader, Unjoined } from './contract.ts';
import type { PersonEvent } from './person.ts';
import type { PersonRecord } from './records.ts';

/** A person as people look at one. */
export interface PersonView {
  readonly person: number;
  readonly userId: string | null;
  readonly identities: readonly Identity[];
  /** Ids that calls named beside theirs and that were not joined, the newest first. */
  readonly unjoined: readonly Unjoined[];
  readonly traits: readonly { readonly name: string; readonly value: unknown; readonly at: number }[];
  /** Traits and groups that are left out because there are too many, or too long. */
  readonly notShown: number;
  readonly groups: readonly { readonly id: string; readonly traits: Readonly<Record<string, unknown>> }[];
  /** The newest. */
  readonly events: EventsPage;
  /** Ids of the audiences they are in. */
  readonly audiences: readonly string[];
  /** Values of computed traits, by the definition's id. */
  readonly computed: readonly { readonly definitionId: string; readonly value: unknown }[];
}

/** Events, newest first; `next` is where it goes on, null at the end. */
export interface EventsPage {
  readonly items: readonly PersonEvent[];
  readonly next: EventPlace | null;
}

/** As `groupTraits`: the ids of the groups are read, and no trait that a definition could ask for. */
export const GROUP_IDS: ReadonlySet<string> = new Set(['']);

/** What of a person is read before they are shown. */
export const SHOWN: Needs = { traits: 'all', groupTraits: GROUP_IDS, events: [] };
const RECENT_EVENTS = 50;
/** Characters of JSON: a reader needs no more of one person, and more would delay all other reads. */
const SHOWN_CHARACTERS = 1_000_000;

/** Of all groups of a person. */
const GROUP_TRAITS = { rows: 10_000, characters: SHOWN_CHARACTERS };

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
    // What was joined later is no longer news.
    unjoined: unjoined.filter((one) => !identities.some((identity) => identity.id === one.id)),
    traits,
    groups: shownGroups,
    notShown: shown.left + who.groups.size - ofGroups.size,
    events,
    audiences: [...who.audiences],
    computed: [...values].map(([definitionId, json]) => ({ definitionId, value: JSON.parse(json) })),
  };
}

/** Events of a person, newest first: all, or those before one. */
export async function eventsPage(
  reader: ProfileReader,
  person: number,
  limit: number,
  before: EventPlace | null,
): Promise<EventsPage> {
  const events = await reader.recentEvents(person, limit + 1, before);
  const shown = new Budget(SHOWN_CHARACTERS);
  // Values, as other threads take them; the first of a page is there even when it is longer.
  const items = events
    .slice(0, limit)
    .map(({ at, type, name, properties, messageId }) => ({ at, type, name, properties, messageId }))
    .filter((event, i) => shown.takes(event) || i === 0);
  return { items, next: items.length < events.length ? (items.at(-1) ?? null) : null };
}
