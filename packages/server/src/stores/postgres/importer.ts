import type { Position } from '../../core/event.ts';
import { pause } from '../../core/pause.ts';
import type { Importer, MovedEvent, Part, Place } from '../../migrate/contract.ts';
import { Dictionary } from '../relational/dictionary.ts';
import { clusterId, isUsed } from './cluster.ts';
import { Database, openSession, type Queries, type Session } from './database.ts';
import { rowOf, TABLES } from './importer-rows.ts';
import { migrate } from './migrations.ts';
import { Partitions } from './partitions.ts';
import { STEPS } from './schema.ts';
import { postgresSql } from './sql.ts';
import { insertEvents } from './stream-index.ts';
import { insertRows } from './text.ts';

export interface ImporterOptions {
  readonly url: string;
  /** The stretch of time of one partition, milliseconds. */
  readonly partitionLength: number;
  /** Lower-case values of userId that identify no person, in addition to the usual ones. */
  readonly placeholderIds?: ReadonlySet<string>;
  /** The shard to which a source belongs. */
  readonly shardOf: (sourceId: string) => number;
}

/** Longest time for a statement, longest wait for another move, and time between two attempts, milliseconds. */
const DEADLINE = 600_000;
const LOCK_MS = 10_000;
const LOCK_PAUSE_MS = 100;
/** A node that was seen this long ago counts as alive, in PostgreSQL's notation. Longer than the time between two signs of life. */
const LIVING = '2 minutes';

/** Names in the table `arrival` beside those of parts. After the colon of a mark comes its position. */
const FOLDER = '(folder)';
const LOG = '(log)';
const FINISHED = '(finished)';
const MARK = '(cut):';

/** Why a database can't be used now, in words; null if it can. */
export async function unfinishedImport(queries: Queries): Promise<string | null> {
  const rows = await queries.query<{ part: string }>(
    `SELECT part FROM arrival WHERE part IN ('${FOLDER}', '${FINISHED}')`,
  );
  if (rows.length !== 1) return null;
  return 'A move of a data folder into it was begun and is not finished: run "millrace migrate" again with that folder, and start the nodes then.';
}

/**
 * Opens the database to move a folder into it. Updates its schema, and keeps other moves off it.
 *
 * @throws Error that says what is wrong with the database and how to correct it.
 */
export async function openImporter(options: ImporterOptions): Promise<Importer> {
  const { url } = options;
  await migrate(url);
  const session = await openSession(url, DEADLINE);
  try {
    await lock(session);
    const [row] = await session.query<{ step: number }>('SELECT max(step) AS step FROM migrations');
    if (row && row.step > STEPS.length) {
      throw new Error('Nodes of a newer version have used this database: move the folder with that version.');
    }
    return importerOf(options, session);
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Waits, because a killed move has the lock until the server notices that it is gone. */
async function lock(session: Session): Promise<void> {
  const until = performance.now() + LOCK_MS;
  for (;;) {
    const [row] = await session.query<{ alone: boolean }>(
      `SELECT pg_try_advisory_lock(hashtextextended('millrace arrival', 0)) AS alone`,
    );
    if (row?.alone) return;
    if (performance.now() > until) {
      throw new Error('Another "millrace migrate" moves something into this database: let it end.');
    }
    await pause(LOCK_PAUSE_MS);
  }
}

/** See migrate/contract.ts for its promises. `session` has the lock that keeps other moves off. */
function importerOf({ url, partitionLength, placeholderIds, shardOf }: ImporterOptions, session: Session): Importer {
  const database = new Database({ url, connections: 2, deadline: DEADLINE });
  const dictionary = new Dictionary(postgresSql(database));
  const partitions = new Partitions(database, partitionLength);

  async function progress(): Promise<ReadonlyMap<string, unknown>> {
    const rows = await database.query<{ part: string; place: string | null }>('SELECT part, place FROM arrival');
    return new Map(rows.map(({ part, place }) => [part, place === null ? null : (JSON.parse(place) as unknown)]));
  }

  async function checkEmpty(): Promise<void> {
    if (!(await isUsed(database))) return;
    throw new Error(
      'The database is in use: a cluster has its settings or events in it. Moving a folder needs an empty one: name another database and other NATS servers or accounts; or, if what is there is not needed, DROP SCHEMA millrace CASCADE, and nats stream rm millrace-events-0 (and so on for each stream).',
    );
  }

  /** Called after the move is noted, so that a node that starts later sees the move. */
  async function checkUnused(): Promise<void> {
    const rows = await database.query(`SELECT FROM nodes WHERE seen_at > now() - interval '${LIVING}' LIMIT 1`);
    if (rows.length === 0) return;
    throw new Error(
      `A node uses the database, or was killed less than ${LIVING} ago: stop all nodes of the cluster, and run it again.`,
    );
  }

  return {
    cluster: () => clusterId(postgresSql(database)),

    async begin(fingerprint, ends) {
      // Waits until the last transaction of a killed move is committed or rolled back.
      await database.transaction(async (queries) => {
        await queries.query('LOCK TABLE arrival IN ACCESS EXCLUSIVE MODE');
      });
      let state = await progress();
      if (!state.has(FOLDER)) {
        await checkEmpty();
        const begun = await ends();
        await database.transaction(async (queries) => {
          await note(queries, FOLDER, fingerprint);
          await note(queries, LOG, { through: 0, ends: begun });
        });
        state = await progress();
      }
      if (state.get(FOLDER) !== fingerprint) {
        throw new Error(
          'The database has a move of another folder, or of this one before it was used again. If the cluster is not in use yet, empty it (DROP SCHEMA millrace CASCADE; nats stream rm millrace-events-0 and so on for each stream) and run it again; or give it an empty database and streams.',
        );
      }
      const finished = state.has(FINISHED);
      if (!finished) await checkUnused();
      const log = state.get(LOG) as { through: Position; ends: readonly Position[] };
      const parts = [...state].filter(([part]) => part in TABLES) as [Part, Place | null][];
      return { finished, ...log, parts: new Map(parts) };
    },

    async addEvents(events, placed, through, mark) {
      const entries = events.map(({ deliveries: _deliveries, ...event }, i) => ({
        ...event,
        position: placed.positions[i] ?? 0,
      }));
      const destinations = events.flatMap(({ deliveries }) =>
        deliveries.flatMap(({ destinationId, replayId }) =>
          replayId === null ? [destinationId] : [destinationId, replayId],
        ),
      );
      const numberOf = await dictionary.numbers([...entries.map(({ sourceId }) => sourceId), ...destinations]);
      await partitions.ensure(entries.map(({ receivedAt }) => receivedAt));
      await database.transaction(async (queries) => {
        await insertEvents(queries, entries, numberOf, placeholderIds);
        await insertDeliveries(queries, events, placed.positions, numberOf);
        await insertRows(
          queries,
          'arrived_runs',
          placed.runs.map(({ sourceId, from, position }) => ({ source: numberOf(sourceId), begins: from, position })),
        );
        for (const [shard, end] of placed.ends.entries()) {
          await queries.query(
            `INSERT INTO shards (shard, through) VALUES ($1, $2)
           ON CONFLICT (shard) DO UPDATE SET through = excluded.through`,
            [shard, end],
          );
        }
        await note(queries, LOG, { through, ends: placed.ends });
        if (mark !== null) await note(queries, `${MARK}${mark}`, placed.ends);
      });
    },

    async add(part, { rows, next }) {
      const table = TABLES[part];
      const byTable = Map.groupBy(rows, (row) => (typeof table === 'string' ? table : table(row)));
      const numberOf = await dictionary.numbers(
        rows.flatMap(({ subject }) => (typeof subject === 'string' ? subject : [])),
      );
      await database.transaction(async (queries) => {
        for (const [name, some] of byTable) {
          await insertRows(
            queries,
            name,
            some.map((row) => rowOf(name, row, numberOf)),
          );
        }
        await note(queries, part, next);
      });
    },

    async run(sourceId, position) {
      const [source] = await dictionary.known([sourceId]);
      if (source === undefined) return null;
      const [row] = await database.query<{ begins: number; position: number }>(
        'SELECT begins, position FROM arrived_runs WHERE source = $1 AND begins <= $2 ORDER BY begins DESC LIMIT 1',
        [source, position],
      );
      return row ? { sourceId, from: row.begins, position: row.position } : null;
    },

    async endsAt(mark) {
      return ((await progress()).get(`${MARK}${mark}`) as readonly Position[] | undefined) ?? null;
    },

    async addLanes({ lanes, replays, lastId }, totals, counters) {
      const pairs = lanes.flatMap(({ sourceId, destinationId }) => [sourceId, destinationId]);
      const replayIds = replays.map(({ id }) => id);
      const numberOf = await dictionary.numbers([...pairs, ...totals.keys(), ...replayIds]);
      await database.transaction(async (queries) => {
        await queries.query('TRUNCATE lanes, lane_counts, sources');
        await insertRows(
          queries,
          'sources',
          Array.from(totals, ([id, counted]) => ({
            source: numberOf(id),
            shard: shardOf(id),
            accepted: counted.accepted,
            duplicates: counted.duplicates,
          })),
        );
        await insertRows(
          queries,
          'lanes',
          lanes.map(({ id, after, until, ...lane }) => ({
            ...{ id, source: numberOf(lane.sourceId), destination: numberOf(lane.destinationId), after, until },
            ...{ start_accepted: lane.startAccepted, end_accepted: lane.endAccepted },
            settled_through: lane.settledThrough,
          })),
        );
        await insertRows(
          queries,
          'lane_counts',
          [...lanes, ...replays.map(({ id, counts }) => ({ id: -numberOf(id), counts }))].map(
            ({ id, counts: { processed, failed, filtered, retrying, backfilled } }) => ({
              lane: id,
              slot: 0,
              ...{ processed, failed, filtered, retrying, backfilled },
            }),
          ),
        );
        for (const [table, column, least] of [
          ['lanes', 'id', lastId],
          ['audit', 'id', 0],
          ['profile_words', 'number', 0],
        ] as const) {
          await queries.query(
            `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
             greatest($1, (SELECT coalesce(max(${column}), 0) FROM ${table})) + 1, false)`,
            [least],
          );
        }
        await queries.query(
          `UPDATE profile_turn SET version = version + 1, last_person = $1, last_message = $2, rebuilt = $3,
           outbox = (SELECT count(*) FROM profile_outbox)`,
          [counters.person, counters.message, counters.rebuilding ? 0 : null],
        );
      });
    },

    async finish(adminToken) {
      await database.transaction(async (queries) => {
        if (adminToken !== null) {
          await queries.query(
            `INSERT INTO documents (kind, id, document) VALUES ('service', 'admin token', $1)
           ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document`,
            [adminToken],
          );
        }
        await queries.query('TRUNCATE arrived_runs');
        await note(queries, FINISHED, null);
      });
      // The planner has no statistics yet for the queries of the nodes.
      await database.query('ANALYZE');
    },

    async close() {
      await database.close();
      await session.close();
    },
  };
}

async function note(queries: Queries, part: string, place: unknown): Promise<void> {
  await queries.query(
    'INSERT INTO arrival (part, place) VALUES ($1, $2) ON CONFLICT (part) DO UPDATE SET place = excluded.place',
    [part, place === null ? null : JSON.stringify(place)],
  );
}

async function insertDeliveries(
  queries: Queries,
  events: readonly MovedEvent[],
  positions: readonly Position[],
  numberOf: (name: string) => number,
): Promise<void> {
  await insertRows(
    queries,
    'deliveries',
    events.flatMap(({ deliveries, receivedAt }, i) =>
      deliveries.map(({ destinationId, replayId, row }) => ({
        ...rowOf('deliveries', row, numberOf),
        ...{ position: positions[i] ?? 0, received_at: receivedAt, destination: numberOf(destinationId) },
        replay: replayId === null ? null : numberOf(replayId),
      })),
    ),
  );
}
