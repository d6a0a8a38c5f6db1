import { Fault } from '../../core/fault.ts';
import { NAMING_TRAITS, type ProfileReader, type ProfileStore } from '../../people/contract.ts';
import { profileReader } from '../relational/profile-reader.ts';
import { WriterMemory } from '../relational/profile-writer.ts';
import { byIndex, Database } from './database.ts';
import { namingIndex, PERSONAL } from './profile-schema.ts';
import { profileSql } from './profile-sql.ts';
import { readTurn, type Turn } from './profile-turn.ts';
import { type PostgresWords, wordsIn } from './profile-words.ts';
import { postgresProfileWriter } from './profile-writer.ts';

/**
 * The profile store in PostgreSQL for the process that leads. Once another process leads, the transactions of this one fail,
 * even if it still believes that it leads.
 */
export interface LeadingProfileStore extends ProfileStore {
  /** Makes this store the leading one. Only for the node that has the lock (leadership.ts). */
  lead(): Promise<void>;
}

export interface ProfileStores {
  /** For changes that any process may make: definitions. */
  readonly changes: ProfileStore;
  /** For work of one process at a time: taking in calls, deciding, sending. */
  readonly leading: LeadingProfileStore;
  close(): Promise<void>;
}

/**
 * Longest time for a statement of the leading process, for a statement behind a definition that a person reads or changes, for
 * a question that a person asks, and for a clean-up, milliseconds.
 */
const DEADLINE = 60_000;
const CHANGE_DEADLINE = 8_000;
const QUERY_DEADLINE = 20_000;
const VACUUM_DEADLINE = 3_600_000;

/** Connections of a store: one for the transaction, one to add the words that it needs, and one for reads outside of it. */
const CONNECTIONS = 3;

/** Opens the stores. The schema must be up to date (migrations.ts). */
export function openProfileStores(url: string): ProfileStores {
  const leading = new Database({ url, connections: CONNECTIONS, deadline: DEADLINE });
  const changes = new Database({ url, connections: CONNECTIONS, deadline: CHANGE_DEADLINE });
  const cleaning = new Database({ url, connections: 1, deadline: VACUUM_DEADLINE });
  return {
    changes: profileStore(partsOf(changes, cleaning), { isTold: true, check: () => undefined }),
    leading: leadingProfileStore(partsOf(leading, cleaning)),
    async close() {
      await Promise.all([leading.close(), changes.close(), cleaning.close()]);
    },
  };
}

function partsOf(database: Database, cleaning: Database): Parts {
  return { database, cleaning, words: wordsIn(database) };
}

/** Opens the profiles for long queries, on another thread. */
export function openProfileReader(url: string): { readonly reader: ProfileReader; close(): Promise<void> } {
  const database = new Database({ url, connections: 1, deadline: QUERY_DEADLINE });
  return {
    // Facts are joined by person: for a range of persons, the planner would read whole tables.
    reader: profileReader(profileSql(byIndex(database), wordsIn(database))),
    close: () => database.close(),
  };
}

interface Parts {
  readonly database: Database;
  readonly cleaning: Database;
  readonly words: PostgresWords;
}

/** The NOTIFY channel for changes by other stores than the leading one, and for the beginning and end of a rebuild. */
export const PROFILES_CHANGED = 'millrace_profiles';

interface Role {
  /** Whether the leading node must be notified of this store's writes. */
  readonly isTold: boolean;
  /** @throws Fault if this store may not write now. */
  readonly check: (turn: Turn) => void;
}

function profileStore({ database, cleaning, words }: Parts, { isTold, check }: Role): ProfileStore {
  const memory = new WriterMemory();
  /** The version after the last transaction of this store; null if unknown. */
  let last: number | null = null;
  /** When the clean-up under way began, by the server's clock. */
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
            // `work` can't run again: it has already changed the memory.
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
            // Every node must learn of the beginning and end of a rebuild.
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
     * Runs a full VACUUM, once all transactions that may still see removed rows have ended. It gives every table a new file
     * without these rows; a normal VACUUM leaves their bytes in the pages. Other users of the tables wait meanwhile, and try
     * again.
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

    /** The owner of the connections closes them. */
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
      // Not a step of the schema, because a folder that is moved here brings its words with their own numbers.
      const numberOf = await words.words.made(NAMING_TRAITS);
      await cleaning.query(namingIndex(NAMING_TRAITS.map(numberOf)));
      const [row] = await database.query<{ epoch: number }>(
        'UPDATE profile_turn SET epoch = epoch + 1 RETURNING epoch',
      );
      own = row?.epoch ?? null;
    },
  };
}

/** Transactions that began before the clean-up and may see old rows. Transactions of other databases can't. */
const SEEING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
  AND backend_type = 'client backend' AND xact_start <= $1::timestamptz AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) LIMIT 1`;
