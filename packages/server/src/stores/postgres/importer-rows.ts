import { talliesText } from '../../core/tally.ts';
import type { MovedRows, Part, SamePart } from '../../migrate/contract.ts';
import { writeNumberMap } from '../../people/number-map.ts';
import { STATS_COUNTS } from '../../record/contract.ts';
import { userKey } from '../relational/regulation-store.ts';
import { keyOf } from './profile-keys.ts';
import { idOf } from './profile-words.ts';
import { type Copied, toText } from './text.ts';

/** Where the rows of a part go. One row may become several, in one or more tables. */
export interface PartTarget<P extends Part> {
  /** Tables and their columns. */
  readonly tables: readonly (readonly [table: string, columns: string])[];
  /** The rows for each of the tables, in the same order. `numberOf` converts a name to its number. */
  rows(row: MovedRows[P], numberOf: (name: string) => number): readonly (readonly (readonly Copied[])[])[];
  /** The name in a row that needs a number. */
  readonly names?: (row: MovedRows[P]) => string;
}

/** A part whose rows go to one table, one row each. */
function one<P extends Part>(
  table: string,
  columns: string,
  row: (row: MovedRows[P]) => readonly Copied[],
): PartTarget<P> {
  return { tables: [[table, columns]], rows: (moved) => [[row(moved)]] };
}

/** Columns of JSON, which are copied as they are. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(['document', 'fields', 'changes', 'value', 'properties']);

/** Rows with the same columns as in the folder. `digests` are columns that the folder does not have, each with the column whose digest it is. */
function same<P extends SamePart>(
  table: string,
  columns: string,
  digests: Readonly<Record<string, string>> = {},
): PartTarget<P> {
  return one<P>(table, columns, (row) =>
    columns.split(', ').map((column) => {
      const digested = digests[column];
      if (digested !== undefined) return keyOf(String(row[digested]));
      const value = row[column] ?? null;
      return typeof value === 'string' && !JSON_COLUMNS.has(column) ? toText(value) : value;
    }),
  );
}

export const TARGETS: { readonly [P in Part]: PartTarget<P> } = {
  sources: same('documents', 'kind, id, document'),
  destinations: same('documents', 'kind, id, document'),
  alerts: same('documents', 'kind, id, document'),
  replays: one('documents', 'kind, id, document', (replay) => ['replay', toText(replay.id), JSON.stringify(replay)]),
  accounts: same('accounts', 'id, email, created_at, document'),
  invites: same('invites', 'id, hash, email, created_at, expires_at, document'),
  sessions: same('sessions', 'hash, account, way, seal, created_at, renewed_at, expires_at'),
  tokens: same('tokens', 'id, hash, created_at, last_used_at, document'),
  audit: same('audit', 'id, at, actor, action, target_type, target_id, target_name, fields, address, changes'),
  rejections: same('rejections', 'id, source, count, first_at, last_at, document'),
  regulations: one('regulations', 'id, created_at, document', (regulation) => [
    ...[toText(regulation.id), regulation.createdAt, JSON.stringify(regulation)],
  ]),
  subjects: one('regulation_subjects', 'regulation, place, document', ({ regulationId, subject }) => [
    ...[toText(regulationId), subject.place, JSON.stringify(subject)],
  ]),
  suppressions: one('suppressions', 'user_key, user_id, since', ({ userId, since }) => [
    ...[userKey(toText(userId)), toText(userId), since],
  ]),
  stats: {
    tables: [['stats', `subject, step, at, ${STATS_COUNTS.join(', ')}, latency, attempts`]],
    names: ({ subject }) => subject,
    rows: ({ subject, step, latency, attempts, ...sums }, numberOf) => [
      [
        [
          ...[numberOf(subject), step, sums.at, ...STATS_COUNTS.map((count) => sums[count])],
          `{${latency.subarray(0, latency.findLastIndex((count) => count > 0) + 1).join(',')}}`,
          talliesText(attempts),
        ],
      ],
    ],
  },
  lastSeen: {
    tables: [['stats_last', 'subject, at, tried_at']],
    names: ({ subject }) => subject,
    rows: ({ subject, lastAt, triedAt }, numberOf) => [[[numberOf(subject), lastAt ?? 0, triedAt ?? 0]]],
  },
  words: one('profile_words', 'number, key, space, text', (word) => [
    ...[word.number, keyOf(idOf(word)), word.space, toText(word.text)],
  ]),
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
    tables: [
      ['profile_values', 'person, definition, value, since'],
      ['profile_dues', 'person, at, dues'],
    ],
    rows: ({ person, dues, held, since }) => [
      Array.from(held, ([definition, value]) => [person, definition, value, since.get(definition) ?? 0]),
      dues.size === 0 ? [] : [[person, Math.min(...dues.values()), writeNumberMap(dues)]],
    ],
  },
  told: {
    tables: [['profile_told', 'user_key, definition, value']],
    rows: ({ userId, values }) => [Array.from(values, ([definition, value]) => [keyOf(userId), definition, value])],
  },
  outbox: same('profile_outbox', 'id, definition, user_key, user_id, value, at', { user_key: 'user_id' }),
  takenIn: one('profile_sources', 'id, position', ({ sourceId, position }) => [toText(sourceId), position]),
  ownSources: same('profile_own_sources', 'id'),
  sizes: same('profile_sizes', 'definition, hour, size'),
  erasures: one('profile_erasures', 'id, document', (erasure) => [toText(erasure.id), JSON.stringify(erasure)]),
  erased: same('profile_erased', 'person'),
};
