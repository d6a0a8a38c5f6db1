import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { readNumberMap, writeNumberMap } from '../../people/number-map.ts';

/** What was decided about a person, by number of definition. */
export interface StoredState {
  /** When to decide again, milliseconds since the epoch. */
  readonly dues: Map<number, number>;
  /** Values as JSON; `true` for a member of an audience. */
  readonly held: Map<number, string>;
}

/**
 * The states of persons, one row each. So nearly every event reads its person's state in one place, and an event that changes
 * ten values writes one row. `at` is the earliest due time, or null.
 */
export class PersonStates {
  readonly #select: StatementSync;
  readonly #put: StatementSync;
  readonly #delete: StatementSync;

  constructor(db: DatabaseSync) {
    this.#select = db.prepare('SELECT dues, held FROM state WHERE person = ?');
    this.#put = db.prepare(
      `INSERT INTO state (person, at, dues, held) VALUES (?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET at = excluded.at, dues = excluded.dues, held = excluded.held`,
    );
    this.#delete = db.prepare('DELETE FROM state WHERE person = ?');
  }

  get(person: number): StoredState {
    return stateOf(this.#row(person));
  }

  /** Changes a person's state. Writes nothing if `change` changes nothing. */
  change(person: number, change: (state: StoredState) => void): void {
    const before = this.#row(person);
    const state = stateOf(before);
    change(state);
    const dues = writeNumberMap(state.dues);
    const held = writeNumberMap(state.held);
    if (dues === before.dues && held === before.held) return;
    const at = state.dues.size === 0 ? null : Math.min(...state.dues.values());
    if (dues === NONE && held === NONE) this.#delete.run(person);
    else this.#put.run(person, at, dues, held);
  }

  #row(person: number): StateRow {
    const row = this.#select.get(person);
    return { dues: String(row?.['dues'] ?? NONE), held: String(row?.['held'] ?? NONE) };
  }
}

/** A state in its stored form. */
interface StateRow {
  readonly dues: string;
  readonly held: string;
}

/** An empty map in its stored form. */
const NONE = '[]';

function stateOf({ dues, held }: StateRow): StoredState {
  return { dues: readNumberMap(dues), held: readNumberMap(held) };
}
