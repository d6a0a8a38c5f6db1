import { talliesText } from '../../core/tally.ts';
import type { MovedRows, Part, SamePart } from '../../migrate/contract.ts';
import { writeNumberMap } from '../../people/number-map.ts';
import { statsCounts } from '../../record/contract.ts';
import { userKey } from '../relational/regulation-store.ts';
import { keyOf } from './profile-keys.ts';
import { idOf } from './profile-words.ts';
import { type Row, toText } from './text.ts';

/** Where the rows of a part go. One row may become several, in one or more tables. */
export interface PartTarget<P extends Part> {
  readonly tables: readonly string[];
  /** The rows for each of the tables, in the same order. `numberOf` converts a name to its number. */
  rows(row: MovedRows[P], numberOf: (name: string) => number): readonly (readonly Row[])[];
  /** The name in a row that needs a number. */
  readonly names?: (row: MovedRows[P]) => string;
}

/** A part whose rows go to one table, one row each. */
function one<P extends Part>(table: string, row: (row: MovedRows[P]) => Row): PartTarget<P> {
  return { tables: [table], rows: (moved) => [[row(moved)]] };
}

/** Columns of JSON, which are copied as they are. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['document', 'fields', 'changes', 'value', 'properties']);

/** Rows with the same columns as in the folder. `digests` are columns that the folder does not have, each with the column whose digest it is. */
function same<P extends SamePart>(
  table: string,
  columns: string,
  digests: Readonly<Record<string, string>> = {},
): PartTarget<P> {
  const cellOf = (row: MovedRows[P], column: string): Row[string] => {
    const digested = digests[column];
    if (digested !== undefined) return keyOf(String(row[digested]));
    const value = row[column] ?? null;
    return typeof value === 'string' && !JSON_COLUMNS.has(column) ? toText(value) : value;
  };
  const names = columns.split(', ');
  return one<P>(table, (row) => Object.fromEntries(names.map((column) => [column, cellOf(row, column)])));
}

export const TARGETS: { readonly [P in Part]: PartTarget<P> } = {
  sources: same('documents', 'kind, id, document'),
  destinations: same('documents', 'kind, id, document'),
  alerts: same('documents', 'kind, id, document'),
  replays: one('documents', (replay) => ({ kind: 'replay', id: toText(replay.id), document: JSON.stringify(replay) })),
  accounts: same('accounts', 'id, email, created_at, document'),
  invites: same('invites', 'id, hash, email, created_at, expires_at, document'),
  sessions: same('sessions', 'hash, account, way, seal, created_at, renewed_at, expires_at'),
  tokens: same('tokens', 'id, hash, created_at, last_used_at, document'),
  audit: same('audit', 'id, at, actor, action, target_type, target_id, target_name, fields, address, changes'),
  rejections: same('rejections', 'id, source, count, first_at, last_at, document'),
  regulations: one('regulations', (regulation) => ({
    id: toText(regulation.id),
    created_at: regulation.createdAt,
    document: JSON.stringify(regulation),
  })),
  subjects: one('regulation_subjects', ({ regulationId, subject }) => ({
    regulation: toText(regulationId),
    place: subject.place,
    document: JSON.stringify(subject),
  })),
  suppressions: one('suppressions', ({ userId, since }) => ({
    user_key: userKey(toText(userId)),
    user_id: toText(userId),
    since,
  })),
  stats: {
    tables: ['stats'],
    names: ({ subject }) => subject,
    rows: ({ subject, step, latency, attempts, ...sums }, numberOf) => [
      [
        {
          ...{ subject: numberOf(subject), step, at: sums.at },
          ...statsCounts((count) => sums[count]),
          latency: `{${latency.subarray(0, latency.findLastIndex((count) => count > 0) + 1).join(',')}}`,
          attempts: talliesText(attempts),
        },
      ],
    ],
  },
  lastSeen: {
    tables: ['stats_last'],
    names: ({ subject }) => subject,
    rows: ({ subject, lastAt, triedAt }, numberOf) => [
      [{ subject: numberOf(subject), at: lastAt ?? 0, tried_at: triedAt ?? 0 }],
    ],
  },
  words: one('profile_words', (word) => ({
    number: word.number,
    key: keyOf(idOf(word)),
    space: word.space,
    text: toText(word.text),
  })),
  persons: same('profile_persons', 'person, user_id'),
  identities: same('profile_identities', 'key, id, person, since, aliased', { key: 'id' }),
  seen: same('profile_seen', 'person, source'),
  unjoined: same('profile_unjoined', 'person, key, id, source, why, at', { key: 'id' }),
  traits: same('profile_traits', 'person, name, value, at, position'),
  memberships: same('profile_memberships', 'person, grp'),
  groupTraits: same('profile_group_traits', 'grp, name, value, at, position'),
  personEvents: same('profile_events', 'person, at, message_id, kind, properties'),
  definitions: same('profile_definitions', 'number, id, audience, document, size, sent_at'),
  decisions: {
    tables: ['profile_values', 'profile_dues'],
    rows: ({ person, dues, held, since }) => [
      Array.from(held, ([definition, value]) => ({ person, definition, value, since: since.get(definition) ?? 0 })),
      dues.size === 0 ? [] : [{ person, at: Math.min(...dues.values()), dues: writeNumberMap(dues) }],
    ],
  },
  told: {
    tables: ['profile_told'],
    rows: ({ userId, values }) => [
      Array.from(values, ([definition, value]) => ({ user_key: keyOf(userId), definition, value })),
    ],
  },
  outbox: same('profile_outbox', 'id, definition, user_key, user_id, value, at', { user_key: 'user_id' }),
  takenIn: one('profile_sources', ({ sourceId, position }) => ({ id: toText(sourceId), position })),
  ownSources: same('profile_own_sources', 'id'),
  sizes: same('profile_sizes', 'definition, hour, size'),
  erasures: one('profile_erasures', (erasure) => ({ id: toText(erasure.id), document: JSON.stringify(erasure) })),
  erased: same('profile_erased', 'person'),
};
