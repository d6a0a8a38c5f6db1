import { BoundedMap } from '../core/bounded-map.ts';

/** How many events, or characters of properties, a person may have beyond the bound before the oldest are removed. */
const SLACK = { events: 1_000, characters: 1_000_000 };
/** Most persons whose new events are counted. Beyond that the count of the person without new events for the longest time starts again. */
const COUNTED = 100_000;

/** Finds persons whose stored events must be counted: those to whom this process has added as much as the slack. */
export class EventTally {
  /** Added events by person, as a share of the slack. */
  readonly #added = new BoundedMap<number, number>(COUNTED);
  readonly #full = new Set<number>();

  /** A person got events; `characters`: JSON of their properties. */
  add(person: number, events: number, characters: number): void {
    const share = Math.max(events / SLACK.events, characters / SLACK.characters);
    const added = (this.#added.get(person) ?? 0) + share;
    if (added >= 1) this.#full.add(person);
    else this.#added.set(person, added);
  }

  /** The persons to count now; their counts start again. */
  take(): readonly number[] {
    const full = [...this.#full];
    for (const person of full) this.#added.delete(person);
    this.#full.clear();
    return full;
  }
}
