import { talliesIn } from '../../core/tally.ts';
import type { MovedRows, Part, Place, SameRow } from '../../migrate/contract.ts';
import type { Unjoined } from '../../people/contract.ts';
import { readNumberMap } from '../../people/number-map.ts';
import type { Replay, StatsSums } from '../../record/contract.ts';
import { numberOrNull, type Row } from './event-rows.ts';
import { unpackCounts } from './stats-functions.ts';

/** How the rows of a part are read. */
export interface PartSource<P extends Part> {
  readonly file: 'live' | 'people';
  /** A table, or a query in parentheses. */
  readonly from: string;
  /** Its key, by which it is read. */
  readonly key: readonly string[];
  row(row: Row, name: (number: number) => string): MovedRows[P];
}

/**
 * Words and kinds share one space of numbers in the cluster: words become even, kinds odd.
 *
 * A suppressed user, a session and so on are small; the long ones are those of `people.db`.
 */
export const PARTS: { readonly [P in Part]: PartSource<P> } = {
  sources: { file: 'live', from: documentsOf('source'), key: ['id'], row: same },
  destinations: { file: 'live', from: documentsOf('destination'), key: ['id'], row: same },
  alerts: {
    file: 'live',
    from: documentsOf('alerts', 'incident', 'ended incident', 'notice', 'snooze'),
    key: ['kind', 'id'],
    row: same,
  },
  // What an earlier version wrote names no message.
  replays: {
    file: 'live',
    from: documentsOf('replay'),
    key: ['id'],
    row: (row) => ({ messageId: null, ...written<Omit<Replay, 'messageId'>>(row) }),
  },
  accounts: { file: 'live', from: 'accounts', key: ['id'], row: same },
  invites: { file: 'live', from: 'invites', key: ['id'], row: same },
  sessions: { file: 'live', from: 'sessions', key: ['hash'], row: same },
  tokens: { file: 'live', from: 'tokens', key: ['id'], row: same },
  audit: { file: 'live', from: 'audit', key: ['id'], row: same },
  rejections: { file: 'live', from: 'rejections', key: ['id'], row: same },
  regulations: { file: 'live', from: 'regulations', key: ['id'], row: written },
  subjects: {
    file: 'live',
    from: 'regulation_subjects',
    key: ['regulation', 'place'],
    row: (row) => ({ regulationId: text(row, 'regulation'), subject: written(row) }),
  },
  suppressions: {
    file: 'live',
    from: 'suppressions',
    key: ['user_key'],
    row: (row) => ({ userId: text(row, 'user_id'), since: number(row, 'since') }),
  },
  stats: {
    file: 'live',
    from: 'stats',
    key: ['subject', 'step', 'at'],
    row: (row, name) => ({ ...sums(row), subject: name(number(row, 'subject')), step: number(row, 'step') }),
  },
  lastSeen: {
    file: 'live',
    from: 'stats_last',
    key: ['subject'],
    row: (row, name) => ({
      subject: name(number(row, 'subject')),
      lastAt: number(row, 'at') || null,
      triedAt: number(row, 'tried_at') || null,
    }),
  },
  words: {
    file: 'people',
    from: `(SELECT id * 2 AS number, 'word' AS space, text FROM word
      UNION ALL SELECT id * 2 + 1, type, name FROM kind)`,
    key: ['number'],
    row: (row) => ({ number: number(row, 'number'), space: text(row, 'space'), text: text(row, 'text') }),
  },
  persons: { file: 'people', from: '(SELECT id AS person, user_id FROM person)', key: ['person'], row: same },
  identities: {
    file: 'people',
    from: 'identity',
    key: ['id'],
    row: (row) => ({
      ...{ id: text(row, 'id'), person: number(row, 'person') },
      ...{ since: numberOrNull(row['since']), aliased: numberOrNull(row['aliased']) },
    }),
  },
  traits: { file: 'people', from: 'trait', key: ['person', 'name'], row: sameBut('name') },
  memberships: { file: 'people', from: 'membership', key: ['person', 'grp'], row: sameBut('grp') },
  groupTraits: { file: 'people', from: 'group_trait', key: ['grp', 'name'], row: sameBut('grp', 'name') },
  personEvents: {
    file: 'people',
    from: 'event',
    key: ['person', 'at', 'message_id'],
    row: (row) => ({
      ...{ person: number(row, 'person'), at: number(row, 'at'), messageId: text(row, 'message_id') },
      ...{ kind: number(row, 'kind') * 2 + 1, properties: text(row, 'properties') },
    }),
  },
  definitions: {
    file: 'people',
    from: 'definition',
    key: ['number'],
    row: (row) => ({
      ...{ number: word(row, 'number'), id: text(row, 'id'), audience: row['audience'] === 1 },
      ...{ json: text(row, 'json'), size: number(row, 'size'), sentAt: numberOrNull(row['sent_at']) },
    }),
  },
  decisions: {
    file: 'people',
    from: `(SELECT *, (SELECT coalesce(group_concat(m.definition || ',' || m.since), '') FROM definition d
      JOIN member m ON m.definition = d.number AND m.person = state.person) AS since FROM state)`,
    key: ['person'],
    row: (row) => ({
      person: number(row, 'person'),
      dues: byWord(readNumberMap<number>(text(row, 'dues'))),
      held: byWord(readNumberMap<string>(text(row, 'held'))),
      since: byWord(readNumberMap<number>(`[${text(row, 'since')}]`)),
    }),
  },
  told: {
    file: 'people',
    from: 'told',
    key: ['user_id'],
    row: (row) => ({ userId: text(row, 'user_id'), values: byWord(readNumberMap<string>(text(row, 'told'))) }),
  },
  outbox: {
    file: 'people',
    from: 'outbox',
    key: ['id'],
    row: (row) => ({
      ...{ id: number(row, 'id'), definition: word(row, 'definition'), userId: text(row, 'user_id') },
      ...{ value: text(row, 'value'), at: number(row, 'at') },
    }),
  },
  seen: { file: 'people', from: 'seen', key: ['person', 'source'], row: same },
  unjoined: {
    file: 'people',
    from: 'unjoined',
    key: ['person', 'id'],
    row: (row) => ({
      ...{ person: number(row, 'person'), id: text(row, 'id'), sourceId: text(row, 'source') },
      ...{ why: text(row, 'why') as Unjoined['why'], at: number(row, 'at') },
    }),
  },
  takenIn: {
    file: 'people',
    from: 'source',
    key: ['id'],
    row: (row) => ({ sourceId: text(row, 'id'), position: number(row, 'position') }),
  },
  ownSources: { file: 'people', from: 'own_source', key: ['id'], row: same },
  sizes: { file: 'people', from: 'size', key: ['definition', 'hour'], row: sameBut('definition') },
  erasures: { file: 'people', from: 'erasure', key: ['id'], row: parsed },
  erased: { file: 'people', from: 'erased', key: ['person'], row: same },
};

/** Rows of a part after a place, in the order of its key. */
export function pageSql({ from, key }: PartSource<Part>, after: Place | null): string {
  const keys = key.join(', ');
  const where = after === null ? '' : `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`;
  return `SELECT * FROM ${from} ${where} ORDER BY ${keys} LIMIT ?`;
}

export function placeOf({ key }: PartSource<Part>, row: Row): Place {
  return key.map((column) => row[column] as string | number);
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

/** The same but for columns that are numbers of words. */
function sameBut(...words: readonly string[]): (row: Row) => SameRow {
  return (row) => ({ ...same(row), ...Object.fromEntries(words.map((column) => [column, word(row, column)])) });
}

function sums(row: Row): StatsSums {
  return {
    at: number(row, 'at'),
    accepted: number(row, 'accepted'),
    rejected: number(row, 'rejected'),
    processed: number(row, 'processed'),
    failed: number(row, 'failed'),
    filtered: number(row, 'filtered'),
    retried: number(row, 'retried'),
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
