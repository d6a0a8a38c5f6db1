import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EVENTS_OF_A_KIND } from '../../people/contract.ts';

/** So many more events than are kept a person may have: then the oldest go at once. */
const SLACK = 1_000;
/** Persons whose new events are counted; when they are more, the count begins again. */
const COUNTED = 100_000;

/**
 * Sees to it that deciding of a person never takes long: of a kind of event no more are kept than the newest. Who adds
 * little is not looked at: what a person has is counted only where as much as the slack was added in this process.
 */
export class EventLimit {
  readonly #added = new Map<number, number>();
  readonly #full = new Set<number>();
  readonly #crowded: StatementSync;
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync) {
    this.#crowded = db.prepare('SELECT kind FROM event WHERE person = ? GROUP BY kind HAVING count(*) > ?');
    this.#remove = db.prepare(
      `DELETE FROM event WHERE person = ?1 AND kind = ?2 AND (at, message_id) <=
       (SELECT at, message_id FROM event WHERE person = ?1 AND +kind = ?2 ORDER BY at DESC, message_id DESC LIMIT 1 OFFSET ?3)`,
    );
  }

  /** A person was given events. */
  add(person: number, events: number): void {
    const added = (this.#added.get(person) ?? 0) + events;
    if (added >= SLACK) this.#full.add(person);
    else {
      if (this.#added.size >= COUNTED) this.#added.clear();
      this.#added.set(person, added);
    }
  }

  /** Removes what is too much. */
  enforce(): void {
    for (const person of this.#full) {
      for (const { kind } of this.#crowded.all(person, EVENTS_OF_A_KIND)) {
        this.#remove.run(person, Number(kind), EVENTS_OF_A_KIND);
      }
      this.#added.delete(person);
    }
    this.#full.clear();
  }
}
