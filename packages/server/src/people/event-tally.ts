import { BoundedMap } from '../core/bounded-map.ts';

/** So many more events than are kept a person may have: then the oldest go at once. */
const SLACK = 1_000;
/** Persons whose new events are counted; when they are more, those who were given none for longest begin again. */
const COUNTED = 100_000;

/** Whose events must be counted: who adds little is not looked at, only where as much as the slack was added in this process. */
export class EventTally {
  readonly #added = new BoundedMap<number, number>(COUNTED);
  readonly #full = new Set<number>();

  /** A person was given events. */
  add(person: number, events: number): void {
    const added = (this.#added.get(person) ?? 0) + events;
    if (added >= SLACK) this.#full.add(person);
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
