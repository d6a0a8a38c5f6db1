import type { MovedRow, Part, Place } from '../../migrate/contract.ts';
import { readNumberMap, writeNumberMap } from '../../people/number-map.ts';
import type { Row } from './event-rows.ts';
import { unpackCounts } from './stats-functions.ts';

/** How the rows of a part are read. */
export interface PartSource {
  readonly file: 'live' | 'people';
  /** A table, or a query in parentheses. */
  readonly from: string;
  /** The columns of the key, in whose order the rows are read. */
  readonly key: string;
  /** The rows of the cluster that one row becomes. `name` converts a number of `names`. */
  readonly rows: (row: Row, name: (number: number) => string) => readonly MovedRow[];
}

const WORDS = `(SELECT id * 2 AS number, 'word' AS space, text FROM word
  UNION ALL SELECT id * 2 + 1, type, name FROM kind)`;

const DECISIONS = `(SELECT *, (SELECT coalesce(group_concat(m.definition || ',' || m.since), '') FROM definition d
  JOIN member m ON m.definition = d.number AND m.person = state.person) AS since FROM state)`;

/**
 * The parts of a move and how their rows are read. In the cluster, words and kinds share one range of numbers: words become
 * even, kinds odd. Only parts from `people.db` are long.
 */
export const PARTS: Readonly<Record<Part, PartSource>> = {
  sources: live(documentsOf('source'), 'id'),
  destinations: live(documentsOf('destination'), 'id'),
  alerts: live(documentsOf('alerts', 'incident', 'ended incident', 'notice', 'snooze'), 'kind, id'),
  replays: live(documentsOf('replay'), 'id'),
  accounts: live('accounts', 'id'),
  invites: live('invites', 'id'),
  sessions: live('sessions', 'hash'),
  tokens: live('tokens', 'id'),
  audit: live('audit', 'id'),
  rejections: live('rejections', 'id'),
  regulations: live('regulations', 'id'),
  subjects: live('regulation_subjects', 'regulation, place'),
  suppressions: live('suppressions', 'user_key'),
  stats: live('stats', 'subject, step, at', (row, name) => {
    const latency = unpackCounts(row['latency'] as Uint8Array);
    const used = latency.subarray(0, latency.findLastIndex((count) => count > 0) + 1);
    return [{ ...same(row), subject: name(Number(row['subject'])), latency: [...used] }];
  }),
  lastSeen: live('stats_last', 'subject', (row, name) => [{ ...same(row), subject: name(Number(row['subject'])) }]),
  words: people(WORDS, 'number'),
  persons: people('(SELECT id AS person, user_id FROM person)', 'person'),
  identities: people('identity', 'id'),
  traits: people('trait', 'person, name', withWords('name')),
  memberships: people('membership', 'person, grp', withWords('grp')),
  groupTraits: people('group_trait', 'grp, name', withWords('grp', 'name')),
  personEvents: people(
    '(SELECT person, at, message_id, kind * 2 + 1 AS kind, properties FROM event)',
    'person, at, message_id',
  ),
  definitions: people(
    '(SELECT number, id, audience, json AS document, size, sent_at FROM definition)',
    'number',
    withWords('number'),
  ),
  decisions: people(DECISIONS, 'person', (row) => {
    const { person = null, at = null } = same(row);
    const since = new Map(byWord<number>(`[${row['since']}]`));
    const values = byWord<string>(row['held']).map(([definition, value]) => {
      return { person, definition, value, since: since.get(definition) ?? 0 };
    });
    return at === null
      ? values
      : [...values, { person, at, dues: writeNumberMap(new Map(byWord<number>(row['dues']))) }];
  }),
  told: people('told', 'user_id', (row) => {
    const { user_id = null } = same(row);
    return byWord<string>(row['told']).map(([definition, value]) => ({ user_id, definition, value }));
  }),
  outbox: people('outbox', 'id', withWords('definition')),
  seen: people('seen', 'person, source'),
  unjoined: people('unjoined', 'person, id'),
  takenIn: people('source', 'id'),
  ownSources: people('own_source', 'id'),
  sizes: people('size', 'definition, hour', withWords('definition')),
  erasures: people('(SELECT id, json AS document FROM erasure)', 'id'),
  erased: people('erased', 'person'),
};

/** Selects the rows of a part after a place, in the order of its key. */
export function pageSql({ from, key }: PartSource, after: Place | null): string {
  const where = after === null ? '' : `WHERE (${key}) > (${after.map(() => '?').join(', ')})`;
  return `SELECT * FROM ${from} ${where} ORDER BY ${key} LIMIT ?`;
}

export function placeOf({ key }: PartSource, row: Row): Place {
  return key.split(', ').map((column) => row[column] as string | number);
}

function live(from: string, key: string, rows: PartSource['rows'] = (row) => [same(row)]): PartSource {
  return { file: 'live', from, key, rows };
}

function people(from: string, key: string, rows: PartSource['rows'] = (row) => [same(row)]): PartSource {
  return { file: 'people', from, key, rows };
}

function documentsOf(...kinds: readonly string[]): string {
  return `(SELECT * FROM documents WHERE kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}))`;
}

/** No row but those of `stats` has bytes. */
function same(row: Row): MovedRow {
  return row as MovedRow;
}

/** Copies a row and converts the columns that are numbers of words. */
function withWords(...columns: readonly string[]): PartSource['rows'] {
  return (row) => [{ ...same(row), ...Object.fromEntries(columns.map((column) => [column, Number(row[column]) * 2])) }];
}

/** The entries of a map whose keys are numbers of words. */
function byWord<V>(map: unknown): [number, V][] {
  return Array.from(readNumberMap<V>(String(map)), ([number, value]) => [number * 2, value]);
}
