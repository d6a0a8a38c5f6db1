import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EVENTS_OF_A_KIND } from '../../people/contract.ts';
import { EventTally } from '../../people/event-tally.ts';

/** Sees to it that deciding of a person never takes long: of a kind of event no more are kept than the newest. */
export class EventLimit {
  readonly #tally = new EventTally();
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
    this.#tally.add(person, events);
  }

  /** Removes what is too much. */
  enforce(): void {
    for (const person of this.#tally.take()) {
      for (const { kind } of this.#crowded.all(person, EVENTS_OF_A_KIND)) {
        this.#remove.run(person, Number(kind), EVENTS_OF_A_KIND);
      }
    }
  }
}
