import { talliesIn } from '../../core/tally.ts';
import type { MovedRows, Part, Place, SameRow } from '../../migrate/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import { type Replay, type StatsSums, statsCounts } from '../../record/contract.ts';
import type { Row } from './event-rows.ts';
import { unpackCounts } from './stats-functions.ts';

/** How the rows of a part are read. */
export interface PartSource<P extends Part> {
  readonly file: 'live' | 'people';
  /** A table, or a query in parentheses. */
  readonly from: string;
  /** The columns of the key, in whose order the rows are read. */
  readonly key: string;
  readonly row: ReadRow<P>;
}

type ReadRow<P extends Part> = (row: Row, name: (number: number) => string) => MovedRows[P];

const WORDS = `(SELECT id * 2 AS number, 'word' AS space, text FROM word
  UNION ALL SELECT id * 2 + 1, type, name FROM kind)`;

const DECISIONS = `(SELECT *, (SELECT coalesce(group_concat(m.definition || ',' || m.since), '') FROM definition d
  JOIN member m ON m.definition = d.number AND m.person = state.person) AS since FROM state)`;

/**
 * The parts of a move and how their rows are read. In the cluster, words and kinds share one range of numbers: words become
 * even, kinds odd. Only parts from `people.db` are long.
 */
export const PARTS: { readonly [P in Part]: PartSource<P> } = {
  sources: live(documentsOf('source'), 'id', same),
  destinations: live(documentsOf('destination'), 'id', same),
  alerts: live(documentsOf('alerts', 'incident', 'ended incident', 'notice', 'snooze'), 'kind, id', same),
  // A replay that an earlier version wrote has no messageId.
  replays: live(documentsOf('replay'), 'id', (row) => ({
    messageId: null,
    ...written<Omit<Replay, 'messageId'>>(row),
  })),
  accounts: live('accounts', 'id', same),
  invites: live('invites', 'id', same),
  sessions: live('sessions', 'hash', same),
  tokens: live('tokens', 'id', same),
  audit: live('audit', 'id', same),
  rejections: live('rejections', 'id', same),
  regulations: live('regulations', 'id', written),
  subjects: live('regulation_subjects', 'regulation, place', (row) => ({
    regulationId: text(row, 'regulation'),
    subject: written(row),
  })),
  suppressions: live('suppressions', 'user_key', (row) => ({
    userId: text(row, 'user_id'),
    since: number(row, 'since'),
  })),
  stats: live('stats', 'subject, step, at', (row, name) => ({
    ...sums(row),
    subject: name(number(row, 'subject')),
    step: number(row, 'step'),
  })),
  lastSeen: live('stats_last', 'subject', (row, name) => ({
    subject: name(number(row, 'subject')),
    lastAt: number(row, 'at') || null,
    triedAt: number(row, 'tried_at') || null,
  })),
  words: people(WORDS, 'number', (row) => ({
    number: number(row, 'number'),
    space: text(row, 'space'),
    text: text(row, 'text'),
  })),
  persons: people('(SELECT id AS person, user_id FROM person)', 'person', same),
  identities: people('identity', 'id', same),
  traits: people('trait', 'person, name', sameBut('name')),
  memberships: people('membership', 'person, grp', sameBut('grp')),
  groupTraits: people('group_trait', 'grp, name', sameBut('grp', 'name')),
  personEvents: people(
    '(SELECT person, at, message_id, kind * 2 + 1 AS kind, properties FROM event)',
    'person, at, message_id',
    same,
  ),
  definitions: people(
    '(SELECT number, id, audience, json AS document, size, sent_at FROM definition)',
    'number',
    sameBut('number'),
  ),
  decisions: people(DECISIONS, 'person', (row) => ({
    person: number(row, 'person'),
    dues: byWord(readNumberMap<number>(text(row, 'dues'))),
    held: byWord(readNumberMap<string>(text(row, 'held'))),
    since: byWord(readNumberMap<number>(`[${text(row, 'since')}]`)),
  })),
  told: people('told', 'user_id', (row) => ({
    userId: text(row, 'user_id'),
    values: byWord(readNumberMap<string>(text(row, 'told'))),
  })),
  outbox: people('outbox', 'id', sameBut('definition')),
  seen: people('seen', 'person, source', same),
  unjoined: people('unjoined', 'person, id', same),
  takenIn: people('source', 'id', (row) => ({ sourceId: text(row, 'id'), position: number(row, 'position') })),
  ownSources: people('own_source', 'id', same),
  sizes: people('size', 'definition, hour', sameBut('definition')),
  erasures: people('erasure', 'id', parsed),
  erased: people('erased', 'person', same),
};

/** Selects the rows of a part after a place, in the order of its key. */
export function pageSql({ from, key }: PartSource<Part>, after: Place | null): string {
  const where = after === null ? '' : `WHERE (${key}) > (${after.map(() => '?').join(', ')})`;
  return `SELECT * FROM ${from} ${where} ORDER BY ${key} LIMIT ?`;
}

export function placeOf({ key }: PartSource<Part>, row: Row): Place {
  return key.split(', ').map((column) => row[column] as string | number);
}

function live<P extends Part>(from: string, key: string, row: ReadRow<P>): PartSource<P> {
  return { file: 'live', from, key, row };
}

function people<P extends Part>(from: string, key: string, row: ReadRow<P>): PartSource<P> {
  return { file: 'people', from, key, row };
}

function documentsOf(...kinds: readonly string[]): string {
  return `(SELECT * FROM documents WHERE kind IN (${kinds.map((kind) => `'${kind}'`).join(', ')}))`;
}

function parsed<T>(row: Row): T {
  return JSON.parse(text(row, 'json')) as T;
}

function written<T>(row: Row): T {
  return JSON.parse(text(row, 'document')) as T;
}

function same(row: Row): SameRow {
  return row as SameRow;
}

/** Copies a row and converts the columns that are numbers of words. */
function sameBut(...words: readonly string[]): (row: Row) => SameRow {
  return (row) => ({ ...same(row), ...Object.fromEntries(words.map((column) => [column, word(row, column)])) });
}

function sums(row: Row): StatsSums {
  return {
    ...statsCounts((count) => number(row, count)),
    at: number(row, 'at'),
    latency: unpackCounts(row['latency'] as Uint8Array),
    attempts: new Map(talliesIn(text(row, 'attempts'))),
  };
}

function byWord<V>(map: ReadonlyMap<number, V>): ReadonlyMap<number, V> {
  return new Map(Array.from(map, ([key, value]) => [key * 2, value]));
}

function word(row: Row, column: string): number {
  return number(row, column) * 2;
}

function number(row: Row, column: string): number {
  return Number(row[column]);
}

function text(row: Row, column: string): string {
  return String(row[column]);
}
