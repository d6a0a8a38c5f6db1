import { Fault } from '../../core/fault.ts';
import { NAMING_TRAITS, type ProfileReader, type ProfileStore } from '../../people/contract.ts';
import { profileReader } from '../relational/profile-reader.ts';
import { WriterMemory } from '../relational/profile-writer.ts';
import { Database, type Queries } from './database.ts';
import { namingIndex, PERSONAL } from './profile-schema.ts';
import { profileSql } from './profile-sql.ts';
import { readTurn, type Turn } from './profile-turn.ts';
import { ProfileWords, plain } from './profile-words.ts';
import { postgresProfileWriter } from './profile-writer.ts';

/**
 * The profile store in PostgreSQL, as the one process that leads uses it: once another has begun to lead, its transactions
 * fail, though it may still believe that it leads.
 */
export interface LeadingProfileStore extends ProfileStore {
  /** From now on this one leads. Only for who holds the lead (leadership.ts). */
  lead(): Promise<void>;
}

export interface ProfileStores {
  /** For what any process may change: definitions. */
  readonly changes: ProfileStore;
  /** For what one process does at a time: taking in, deciding, telling. */
  readonly leading: LeadingProfileStore;
  close(): Promise<void>;
}

/** Longest time of a statement of a step, of one that a person waits for, and of a clean-up, milliseconds. */
const DEADLINE = 60_000;
const QUERY_DEADLINE = 20_000;
const VACUUM_DEADLINE = 3_600_000;

/** A step has one, words that it meets first are made on another, and what is not in a step is read on a third. */
const CONNECTIONS = 3;

/** The schema must be up to date (migrations.ts). */
export function openProfileStores(url: string): ProfileStores {
  const database = new Database({ url, connections: CONNECTIONS, deadline: DEADLINE });
  const cleaning = new Database({ url, connections: 1, deadline: VACUUM_DEADLINE });
  const words = new ProfileWords(database);
  const parts = { database, cleaning, words };
  return {
    changes: profileStore(parts, { isTold: true, check: () => undefined }),
    leading: leadingProfileStore(parts),
    async close() {
      await Promise.all([database.close(), cleaning.close()]);
    },
  };
}

/** The same for questions that take long, on another thread. */
export function openProfileReader(url: string): { readonly reader: ProfileReader; close(): Promise<void> } {
  const database = new Database({ url, connections: 1, deadline: QUERY_DEADLINE });
  return {
    reader: profileReader(profileSql(byIndex(database), new ProfileWords(database))),
    close: () => database.close(),
  };
}

interface Parts {
  readonly database: Database;
  readonly cleaning: Database;
  readonly words: ProfileWords;
}

/** What persons are is joined by person: of a range of them the planner would read whole tables. */
function byIndex(database: Database): Queries {
  return { query: (sql, values = []) => database.queryByIndex(sql, values) };
}

/** NOTIFY's channel of changes that were not the leader's, and of a rebuild's beginning and end. */
export const PROFILES_CHANGED = 'millrace_profiles';

interface Role {
  /** Whether the node that works must be told of what is written here. */
  readonly isTold: boolean;
  /** @throws Fault where this store may not write now. */
  readonly check: (turn: Turn) => void;
}

function profileStore({ database, cleaning, words }: Parts, { isTold, check }: Role): ProfileStore {
  const memory = new WriterMemory();
  /** Of the turn after the last transaction here; null where that is not known. */
  let last: number | null = null;
  /** When the clean-up that is under way was begun, by the server's clock. */
  let cleaningSince: string | null = null;
  return {
    ...profileReader(profileSql(byIndex(database), words)),

    async transaction(work) {
      const before = last;
      last = null;
      let begun = false;
      let version: number | null = null;
      try {
        const result = await database.transaction(
          async (transaction) => {
            // What the work has changed in memory it would change twice.
            if (begun) throw new Fault('storage_unavailable', 'Another transaction was in the way.', { retryAfter: 1 });
            begun = true;
            const turn = await readTurn(transaction, 'FOR UPDATE');
            check(turn);
            const rebuilding = turn.rebuilt !== null;
            const writer = postgresProfileWriter(transaction, words, turn, memory);
            const done = await work(writer, turn.version !== before);
            version = turn.version + 1;
            await transaction.query(
              'UPDATE profile_turn SET version = $1, last_person = $2, last_message = $3, outbox = $4, rebuilt = $5',
              [version, turn.last_person, turn.last_message, turn.outbox, turn.rebuilt],
            );
            // The end of a rebuild is everybody's to know.
            if (isTold || rebuilding !== (turn.rebuilt !== null)) await transaction.query(`NOTIFY ${PROFILES_CHANGED}`);
            return done;
          },
          { byIndex: true },
        );
        last = version;
        return result;
      } catch (error) {
        memory.forgotten = null;
        throw error;
      }
    },

    /**
     * A full VACUUM, once everybody who may still see what was removed has ended: every table gets a new file, without it. Any
     * other leaves the bytes in the pages. Who uses the tables meanwhile waits, and tries again.
     */
    async compact() {
      if (cleaningSince === null) {
        const [row] = await cleaning.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
        cleaningSince = row?.now ?? null;
      }
      const [seeing] = await cleaning.query(SEEING, [cleaningSince]);
      if (seeing) return false;
      await cleaning.query(`VACUUM (FULL) ${PERSONAL.join(', ')}`);
      cleaningSince = null;
      return true;
    },

    /** Its connections are the owner's. */
    close: async () => undefined,
  };
}

function leadingProfileStore(parts: Parts): LeadingProfileStore {
  const { database, cleaning, words } = parts;
  let own: number | null = null;
  const check = ({ epoch }: Turn): void => {
    if (epoch === own) return;
    throw new Fault('storage_unavailable', 'Another node leads people/ now.', { retryAfter: 1 });
  };
  return {
    ...profileStore(parts, { isTold: false, check }),

    async lead() {
      // Not a step of the schema: a folder that moves in brings its words with numbers of their own.
      const numberOf = await words.made(NAMING_TRAITS.map(plain));
      await cleaning.query(namingIndex(NAMING_TRAITS.map((name) => numberOf(plain(name)))));
      const [row] = await database.query<{ epoch: number }>(
        'UPDATE profile_turn SET epoch = epoch + 1 RETURNING epoch',
      );
      own = row?.epoch ?? null;
    },
  };
}

/** Transactions that began before the clean-up and hold a view of the rows; those of other databases see none of them. */
const SEEING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND xact_start <= $1::timestamptz AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) LIMIT 1`;
