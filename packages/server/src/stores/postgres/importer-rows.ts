import type { MovedRow, Part } from '../../migrate/contract.ts';
import { userKey } from '../relational/regulation-store.ts';
import { keyOf } from './profile-keys.ts';
import { wordKey } from './profile-words.ts';
import { type Row, toText } from './text.ts';

/** The table that has the rows of a part. */
export const TABLES: Readonly<Record<Part, string | ((row: MovedRow) => string)>> = {
  ...{ sources: 'documents', destinations: 'documents', replays: 'documents', alerts: 'documents' },
  ...{ accounts: 'accounts', invites: 'invites', sessions: 'sessions', tokens: 'tokens', audit: 'audit' },
  ...{ rejections: 'rejections', regulations: 'regulations', subjects: 'regulation_subjects' },
  ...{ suppressions: 'suppressions', stats: 'stats', lastSeen: 'stats_last', words: 'profile_words' },
  ...{ persons: 'profile_persons', identities: 'profile_identities', unjoined: 'profile_unjoined' },
  ...{ seen: 'profile_seen', traits: 'profile_traits', memberships: 'profile_memberships' },
  ...{ groupTraits: 'profile_group_traits', personEvents: 'profile_events', definitions: 'profile_definitions' },
  decisions: (row) => ('dues' in row ? 'profile_dues' : 'profile_values'),
  ...{ told: 'profile_told', outbox: 'profile_outbox', takenIn: 'profile_sources' },
  ...{ ownSources: 'profile_own_sources', sizes: 'profile_sizes', erasures: 'profile_erasures' },
  erased: 'profile_erased',
};

const keyOfId = ({ id }: MovedRow): Row => ({ key: keyOf(String(id)) });

/** Digests of texts, which the folder does not have or makes of other text, by table. */
const DIGESTS: Readonly<Record<string, (row: MovedRow) => Row>> = {
  suppressions: ({ user_id }) => ({ user_key: userKey(toText(String(user_id))) }),
  profile_words: ({ space, text }) => ({ key: wordKey({ space: String(space), text: String(text) }) }),
  profile_identities: keyOfId,
  profile_unjoined: keyOfId,
  profile_outbox: ({ user_id }) => ({ user_key: keyOf(String(user_id)) }),
};

/** Columns of JSON, which are copied as they are. */
const JSON_COLUMNS: ReadonlySet<string> = new Set([
  ...['document', 'fields', 'changes', 'value', 'properties', 'dues', 'attempts', 'urls_left'],
]);

/** The row as its table has it. `numberOf` converts the name of a subject of statistics to its number. */
export function rowOf(table: string, row: MovedRow, numberOf: (name: string) => number): Row {
  if (table === 'profile_told') {
    const { user_id, ...told } = row;
    return { ...told, user_key: keyOf(String(user_id)) };
  }
  const cells = Object.entries(row).map(([column, value]) => {
    if (typeof value !== 'string' || JSON_COLUMNS.has(column)) return [column, value];
    return [column, column === 'subject' ? numberOf(value) : toText(value)];
  });
  return { ...Object.fromEntries(cells), ...DIGESTS[table]?.(row) };
}
