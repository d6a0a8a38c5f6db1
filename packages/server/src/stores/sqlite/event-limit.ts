import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EventTally } from '../../people/event-tally.ts';
import { EVENTS_OF_A_PERSON } from '../../people/fact-bounds.ts';

/** Sees to it that deciding of a person never takes long: of a person's events no more are kept than the newest. */
export class EventLimit {
  readonly #tally = new EventTally();
  readonly #remove: StatementSync;

  constructor(db: DatabaseSync) {
    this.#remove = db.prepare(REMOVE);
  }

  /** A person was given events, whose properties have so many characters of JSON. */
  add(person: number, events: number, characters: number): void {
    this.#tally.add(person, events, characters);
  }

  /** Removes what is too much. Answers the persons who had too much. */
  enforce(): number[] {
    const { alike, events, characters } = EVENTS_OF_A_PERSON;
    return [...this.#tally.take()].filter((person) => this.#remove.run(person, alike, events, characters).changes > 0);
  }
}

/** A rule may ask about one name of track calls, and about all page or screen calls. */
const REMOVE = `DELETE FROM event WHERE (person, at, message_id) IN (
  SELECT person, at, message_id FROM (
    SELECT e.person, e.at, e.message_id, row_number() OVER newest AS place, sum(length(e.properties)) OVER newest AS characters,
      row_number() OVER (
        PARTITION BY CASE k.type WHEN 'track' THEN k.id ELSE k.type END ORDER BY e.at DESC, e.message_id DESC) AS among_alike
    FROM event AS e JOIN kind AS k ON k.id = e.kind WHERE e.person = ?1
    WINDOW newest AS (ORDER BY e.at DESC, e.message_id DESC))
  WHERE among_alike > ?2 OR place > ?3 OR characters > ?4)`;
