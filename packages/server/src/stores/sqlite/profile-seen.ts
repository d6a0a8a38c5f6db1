import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { EventName, EventNamesQuery, Most, SeenTrait } from '../../people/seen.ts';
import type { Kind, PeopleNumbers } from './people-numbers.ts';

/** Of events of any name, those of so many names are read. */
const KINDS = 20;
/** Of a type, so many of the newest names are looked through. */
const NAMES = 100_000;

/** What calls said lately, for suggestions: bounded reads of `people.db` by indexes that deciding has. */
export class ProfileSeen {
  readonly #db: DatabaseSync;
  readonly #numbers: PeopleNumbers;

  constructor(db: DatabaseSync, numbers: PeopleNumbers) {
    this.#db = db;
    this.#numbers = numbers;
  }

  eventNames({ type, text, since, now, limit, most }: EventNamesQuery): EventName[] {
    const rows = this.#db.prepare(EVENT_NAMES).all(type, NAMES, text, now, limit, since, most);
    return rows.map((row) => ({ name: String(row['name']), events: Number(row['events']) }));
  }

  properties({ type, name }: Kind, now: number, { rows, characters }: Most): string[] {
    const named = name === null ? '' : 'AND name = ?';
    const kinds = this.#db
      .prepare(`SELECT id FROM kind WHERE type = ? ${named} ORDER BY id DESC LIMIT ${KINDS}`)
      .all(type, ...(name === null ? [] : [name]));
    const share = { rows: Math.ceil(rows / kinds.length), characters: characters / kinds.length };
    const events = this.#db.prepare(PROPERTIES);
    return kinds.flatMap(({ id }) =>
      begun(events.iterate(id ?? null, now, share.rows), 'properties', share.characters).map((row) =>
        String(row['properties']),
      ),
    );
  }

  traits(of: 'person' | 'group', { rows, characters }: Most): SeenTrait[] {
    const [table, owner] = of === 'person' ? ['trait', 'person'] : ['group_trait', 'grp'];
    const newest = this.#db.prepare(
      `SELECT ${owner} AS owner, name, value FROM ${table} ORDER BY ${owner} DESC LIMIT ?`,
    );
    return begun(newest.iterate(rows), 'value', characters).map((row) => ({
      ...{ owner: Number(row['owner']), name: this.#numbers.text(Number(row['name'])), value: String(row['value']) },
    }));
  }
}

type Row = Record<string, SQLOutputValue>;

/** The first rows, up to the one whose column makes it so many characters altogether. */
function begun(rows: Iterable<Row>, column: string, characters: number): Row[] {
  const found: Row[] = [];
  let length = 0;
  for (const row of rows) {
    found.push(row);
    length += String(row[column]).length;
    if (length >= characters) break;
  }
  return found;
}

const EVENT_NAMES = `SELECT k.name, (SELECT count(*) FROM (SELECT 1 FROM event
    WHERE kind = k.id AND at >= ?6 AND at <= ?4 LIMIT ?7)) AS events
  FROM (SELECT id, name FROM kind WHERE type = ?1 ORDER BY id DESC LIMIT ?2) k
  WHERE k.name <> '' AND instr(lower(k.name), lower(?3)) > 0
    AND EXISTS (SELECT 1 FROM event e WHERE e.kind = k.id AND e.at <= ?4
      AND NOT EXISTS (SELECT 1 FROM erased x WHERE x.person = e.person))
  LIMIT ?5`;

/** What an erased person did is still there for moments. */
const PROPERTIES = `SELECT e.properties FROM event e WHERE e.kind = ? AND e.at <= ?
  AND NOT EXISTS (SELECT 1 FROM erased x WHERE x.person = e.person) ORDER BY e.at DESC LIMIT ?`;
