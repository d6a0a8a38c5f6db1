import { basename } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Position } from '../../core/event.ts';
import { FORMER_PEOPLE } from '../../core/lane.ts';
import { weightOf } from '../../core/weight.ts';
import type { SourceTotals } from '../../log/contract.ts';
import type { Exporter, MovedDelivery, MovedEvent, MovedRow, Part } from '../../migrate/contract.ts';
import { readAttempts, SELECT_ANSWERS } from './answers.ts';
import { type Counts, countsIn, countsSchema, noCounts, sumCounts } from './counts.ts';
import { lockFolder, openReadOnly } from './database.ts';
import { destinationsIn, NEXT_DESTINATION } from './erasing.ts';
import { entryOf, numberOrNull } from './event-rows.ts';
import { checkAllThere, checkOwn, checkTables, checkThere, fingerprintOf } from './exporter-check.ts';
import { PARTS, pageSql, placeOf } from './exporter-parts.ts';
import { droppedIn, LANES, type LaneRow, livePath, namesIn } from './live.ts';
import { migrateLive } from './migrations.ts';
import { lastSeqIn, PARTITION_SCHEMA, partitionsIn, totalsIn } from './partition.ts';
import { LEDGER_SCHEMA } from './people-ledger.ts';
import { PEOPLE_SCHEMA } from './people-schema.ts';
import { profilePath } from './profile-store.ts';
import type { PartitionInfo } from './protocol.ts';
import { rowsOf } from './statements.ts';

/** The most events and bytes of a page of the log, and the most rows of a page of a part. */
const EVENTS = 4_096;
const BYTES = 8 * 1024 * 1024;
const ROWS = 5_000;

interface Partition extends PartitionInfo {
  readonly db: DatabaseSync;
  readonly ofEvents: StatementSync;
  readonly answers: StatementSync;
  /** Numbers of the destinations that have deliveries in this partition. */
  readonly destinations: readonly number[];
}

/**
 * Opens a data folder to move it to a cluster, and keeps every service off it.
 *
 * @throws Error if there is no data folder, a service uses it, or another version made it.
 */
export function openExporter(dataDir: string): Exporter {
  checkThere(dataDir, livePath(dataDir));
  const lock = lockUnused(dataDir);
  const opened: DatabaseSync[] = [lock];
  try {
    const open = (path: string, make: (db: DatabaseSync) => void): DatabaseSync => {
      checkThere(dataDir, path);
      const db = openReadOnly(path);
      opened.push(db);
      checkTables(db, path, make);
      return db;
    };
    const live = open(livePath(dataDir), migrateLive);
    const people = open(profilePath(dataDir), (db) => db.exec(PEOPLE_SCHEMA + LEDGER_SCHEMA));
    checkOwn(dataDir, live, people, profilePath(dataDir));
    const dropped = new Set(droppedIn(live));
    const files = partitionsIn(dataDir).filter(({ path }) => !dropped.has(basename(path)));
    const partitions = files.map((file): Partition => {
      const db = open(file.path, (db) => db.exec(PARTITION_SCHEMA + countsSchema('counts')));
      checkOwn(dataDir, live, db, file.path);
      return {
        ...file,
        db,
        ofEvents: db.prepare('SELECT * FROM deliveries WHERE destination = ? AND seq BETWEEN ? AND ?'),
        answers: db.prepare(SELECT_ANSWERS),
        destinations: destinationsIn(db.prepare(NEXT_DESTINATION)),
      };
    });
    checkAllThere(dataDir, live, files);
    return exporterOf({ fingerprint: fingerprintOf(dataDir), live, people, partitions, opened });
  } catch (error) {
    for (const db of opened) db.close();
    throw error;
  }
}

function lockUnused(dataDir: string): DatabaseSync {
  try {
    return lockFolder(dataDir);
  } catch (cause) {
    throw new Error(`${(cause as Error).message}: stop the service first.`, { cause });
  }
}

interface Files {
  readonly fingerprint: string;
  readonly live: DatabaseSync;
  readonly people: DatabaseSync;
  /** Oldest first. */
  readonly partitions: readonly Partition[];
  readonly opened: readonly DatabaseSync[];
}

function exporterOf({ fingerprint, live, people, partitions, opened }: Files): Exporter {
  const names = namesIn(live);
  const known = new Map(names.map(({ number, name }) => [number, name]));
  const numbers = new Map(names.map(({ number, name }) => [name, number]));
  const nameOf = (number: number): string => known.get(number) ?? `unknown-${number}`;
  const fileOf = (part: Part): DatabaseSync => (PARTS[part].file === 'live' ? live : people);

  /** The deliveries of the events from one position to another, by position. */
  function deliveriesOf({ ofEvents, destinations, answers }: Partition, from: Position, to: Position) {
    const deliveries = new Map<Position, MovedDelivery[]>();
    for (const destination of destinations) {
      for (const row of ofEvents.iterate(destination, from, to)) {
        const of = deliveries.get(Number(row['seq'])) ?? [];
        deliveries.set(Number(row['seq']), of);
        const attempts = readAttempts(String(row['attempts']), answers);
        const { seq: _seq, destination: _destination, replay, ...columns } = row as MovedRow;
        of.push({
          destinationId: nameOf(destination),
          replayId: known.get(Number(replay)) ?? null,
          row: { ...columns, attempts: attempts.map((attempt) => JSON.stringify(attempt)).join('\n') },
        });
      }
    }
    return deliveries;
  }

  return {
    fingerprint,
    lastPosition: Math.max(0, ...partitions.map(({ db }) => lastSeqIn(db) ?? 0)),

    events: () =>
      partitions.reduce((sum, { db }) => {
        const row = db.prepare('SELECT max(seq) - min(seq) + 1 AS events FROM events').get();
        return sum + Number(row?.['events'] ?? 0);
      }, 0),

    log(after, through) {
      const events: MovedEvent[] = [];
      let bytes = 0;
      for (const partition of partitions) {
        const page: Omit<MovedEvent, 'deliveries'>[] = [];
        const rows = partition.db
          .prepare('SELECT * FROM events WHERE seq > ? AND seq <= ? ORDER BY seq')
          .iterate(after, through);
        for (const row of rows) {
          const event = entryOf(row, nameOf);
          page.push(event);
          bytes += weightOf(event);
          if (events.length + page.length >= EVENTS || bytes >= BYTES) break;
        }
        const deliveries = deliveriesOf(partition, page[0]?.position ?? 0, page.at(-1)?.position ?? 0);
        for (const event of page) events.push({ ...event, deliveries: deliveries.get(event.position) ?? [] });
        if (events.length >= EVENTS || bytes >= BYTES) break;
      }
      return events;
    },

    eventsOf(sourceId, from, to) {
      const source = numbers.get(sourceId) ?? 0;
      return partitions.reduce((sum, { db }) => {
        const row = db
          .prepare('SELECT count(*) AS events FROM events WHERE source = ? AND seq BETWEEN ? AND ?')
          .get(source, from, to);
        return sum + Number(row?.['events']);
      }, 0);
    },

    lanes() {
      const counts = new Map<number, Counts>();
      const counted = [countsIn(live, 'dropped_counts'), ...partitions.map(({ db }) => countsIn(db, 'counts'))];
      for (const [lane, more] of counted.flatMap((table) => [...table])) {
        counts.set(lane, sumCounts(counts.get(lane), more));
      }
      const lanes = rowsOf<LaneRow>(
        live,
        `${LANES} WHERE destination NOT IN (SELECT number FROM names WHERE name = ?) ORDER BY id`,
        FORMER_PEOPLE,
      );
      return {
        lanes: lanes.map(({ id, source, destination, startSeq, endSeq, startAccepted, endAccepted, position }) => ({
          ...{ id, sourceId: nameOf(source), destinationId: nameOf(destination), after: startSeq, until: endSeq },
          ...{ startAccepted, endAccepted, settledThrough: position, counts: counts.get(id) ?? noCounts() },
        })),
        replays: Array.from(counts)
          // Of a replay that is gone, the files may still have counts.
          .filter(([id]) => id < 0 && known.has(-id))
          .map(([id, result]) => ({ id: nameOf(-id), counts: result })),
        lastId: lastGiven(live, 'lanes'),
      };
    },

    totals() {
      const totals = new Map<string, SourceTotals>();
      // The newest partition that has a source's totals overwrites the older ones.
      for (const { db } of partitions) {
        for (const [source, sum] of totalsIn(db)) totals.set(nameOf(source), sum);
      }
      return totals;
    },

    counters() {
      const counter = (name: string): number | null =>
        numberOrNull(people.prepare('SELECT value FROM counter WHERE name = ?').get(name)?.['value']);
      return {
        person: counter('person') ?? 0,
        message: lastGiven(people, 'outbox'),
        rebuilding: counter('rebuilt') !== null,
      };
    },

    size: (part) => Number(fileOf(part).prepare(`SELECT count(*) AS rows FROM ${PARTS[part].from}`).get()?.['rows']),

    page(part, after) {
      const source = PARTS[part];
      const rows = fileOf(part)
        .prepare(pageSql(source, after))
        .all(...(after ?? []), ROWS);
      const last = rows.length < ROWS ? undefined : rows.at(-1);
      return {
        rows: rows.flatMap((row) => source.rows(row, nameOf)),
        next: last ? placeOf(source, last) : null,
      };
    },

    close() {
      for (const db of opened) db.close();
    },
  };
}

/** The last number that a table with AUTOINCREMENT gave. */
function lastGiven(db: DatabaseSync, table: string): number {
  return rowsOf<{ readonly seq: number }>(db, 'SELECT seq FROM sqlite_sequence WHERE name = ?', table)[0]?.seq ?? 0;
}
