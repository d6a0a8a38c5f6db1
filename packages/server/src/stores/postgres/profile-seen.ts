import type { EventName, EventNamesQuery, Most, SeenTrait } from '../../people/seen.ts';
import type { Queries } from './database.ts';
import type { Kind, ProfileWords } from './profile-words.ts';
import { fromText, toText } from './text.ts';

/** Of events of any name, those of so many names are read. */
const KINDS = 20;
/** Of a type, so many of the newest names are looked through. */
const NAMES = 100_000;

/** What calls said lately, for suggestions: bounded reads by indexes that deciding has. */
export class ProfileSeen {
  readonly #queries: Queries;
  readonly #words: ProfileWords;

  constructor(queries: Queries, words: ProfileWords) {
    this.#queries = queries;
    this.#words = words;
  }

  async eventNames({ type, text, since, now, limit, most }: EventNamesQuery): Promise<EventName[]> {
    const values = [type, NAMES, toText(text), now, limit, since, most];
    const rows = await this.#queries.query<{ name: string; events: number }>(EVENT_NAMES, values);
    return rows.map(({ name, events }) => ({ name: fromText(name), events }));
  }

  async properties({ type, name }: Kind, now: number, { rows, characters }: Most): Promise<string[]> {
    const named = name === null ? '' : 'AND text = $2';
    const kinds = await this.#queries.query<{ number: number }>(
      `SELECT number FROM profile_words WHERE space = $1 AND space <> 'word' ${named} ORDER BY number DESC LIMIT ${KINDS}`,
      name === null ? [type] : [type, toText(name)],
    );
    const found: string[] = [];
    for (const { number } of kinds) {
      const share = [Math.ceil(rows / kinds.length), Math.ceil(characters / kinds.length)];
      const events = await this.#queries.query<{ value: string }>(begun(EVENTS, 'at'), [...share, number, now]);
      for (const { value } of events) found.push(value);
    }
    return found;
  }

  async traits(of: 'person' | 'group', { rows, characters }: Most): Promise<SeenTrait[]> {
    const [table, owner] = of === 'person' ? ['profile_traits', 'person'] : ['profile_group_traits', 'grp'];
    const newest = `SELECT ${owner} AS owner, name, value FROM ${table} ORDER BY ${owner} DESC LIMIT $1`;
    const read = await this.#queries.query<{ owner: number; name: number; value: string }>(begun(newest, 'owner'), [
      ...[rows, characters],
    ]);
    const wordOf = await this.#words.words(new Set(read.map(({ name }) => name)));
    return read.map((row) => ({ ...row, name: wordOf(row.name)?.text ?? '' }));
  }
}

/** The first of so many ($1) rows, up to the one whose value makes it so many characters ($2) altogether. */
function begun(newest: string, by: string): string {
  return `SELECT * FROM (SELECT *, sum(length(value)) OVER (ORDER BY ${by} DESC ROWS UNBOUNDED PRECEDING) AS total
    FROM (${newest}) AS newest) AS summed WHERE total - length(value) < $2`;
}

const EVENT_NAMES = `SELECT k.text AS name, (SELECT count(*) FROM (SELECT FROM profile_events
    WHERE kind = k.number AND at >= $6 AND at <= $4 LIMIT $7) AS counted)::int AS events
  FROM (SELECT number, text FROM profile_words WHERE space = $1 AND space <> 'word' ORDER BY number DESC LIMIT $2) AS k
  WHERE k.text <> '' AND strpos(lower(k.text COLLATE "C"), lower($3 COLLATE "C")) > 0
    AND EXISTS (SELECT FROM profile_events e WHERE e.kind = k.number AND e.at <= $4
      AND NOT EXISTS (SELECT FROM profile_erased x WHERE x.person = e.person))
  LIMIT $5`;

/** What an erased person did is still there for moments. */
const EVENTS = `SELECT e.at, e.properties AS value FROM profile_events e WHERE e.kind = $3 AND e.at <= $4
  AND NOT EXISTS (SELECT FROM profile_erased x WHERE x.person = e.person) ORDER BY e.at DESC LIMIT $1`;
