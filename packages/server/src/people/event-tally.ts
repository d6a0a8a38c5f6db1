import { BoundedMap } from '../core/bounded-map.ts';

/** So many more events, or characters of their properties, than are kept a person may have: then the oldest go at once. */
const SLACK = { events: 1_000, characters: 1_000_000 };
/** Persons whose new events are counted; when they are more, those who were given none for longest begin again. */
const COUNTED = 100_000;

/** Whose events must be counted: who adds little is not looked at, only where as much as the slack was added in this process. */
export class EventTally {
  /** In parts of the slack. */
  readonly #added = new BoundedMap<number, number>(COUNTED);
  readonly #full = new Set<number>();

  /** A person was given events, whose properties have so many characters of JSON. */
  add(person: number, events: number, characters: number): void {
    const share = Math.max(events / SLACK.events, characters / SLACK.characters);
    const added = (this.#added.get(person) ?? 0) + share;
    if (added >= 1) this.#full.add(person);
    else this.#added.set(person, added);
  }

  /** Those whose events must be counted now; they begin anew. */
  take(): readonly number[] {
    const full = [...this.#full];
    for (const person of full) this.#added.delete(person);
    this.#full.clear();
    return full;
  }
}
