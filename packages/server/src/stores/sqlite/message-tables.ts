import { numberOfState } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { DeliveryRow } from '../relational/message-rows.ts';
import type { AskedEvents, MessageTables } from '../relational/message-search.ts';
import type { Piece } from '../relational/piecewise.ts';
import { list, type Statement, sql } from '../relational/sql.ts';
import { readAttempts, SELECT_ANSWERS } from './answers.ts';
import { destinationsIn, NEXT_DESTINATION } from './erasing.ts';
import { KEPT, SUMMARY } from './event-rows.ts';
import type { PartitionFiles, Stretch } from './partition-files.ts';
import { bound } from './statements.ts';

/** Events and deliveries in the partitions. Indexes have the seqs of each source, of each destination, and of its states. */
export function messageTables(files: PartitionFiles): MessageTables {
  /** Looks at the first rows of one stretch after the other. */
  function look<Row>(
    stretches: readonly Stretch[],
    { columns, from, seq, order }: Looked,
    { wanted, ...times }: Pick<AskedEvents, 'wanted' | 'from' | 'to'>,
    each: number,
    enough: number,
  ): Piece<Row> {
    const isWanted = list([wanted, ...isWithin(times)], ' AND ');
    const rows: Row[] = [];
    let looked = 0;
    for (const { partition, begin, end } of stretches) {
      const { text, values } = bound(
        sql`SELECT ${columns}, (${isWanted}) AS wanted FROM ${from} ${seq} >= ${begin} AND ${seq} < ${end} ORDER BY ${seq} ${order}`,
      );
      for (const row of files.statement(partition, text).iterate(...values) as Iterable<unknown>) {
        if ((row as { readonly wanted: number }).wanted) rows.push(row as Row);
        if (++looked === each || rows.length === enough) return { rows, ends: [row as Row] };
      }
    }
    return { rows, ends: [] };
  }

  /** The rows of these events in `deliveries`. No index leads from an event to them, but there are few destinations. */
  function deliveriesOf<Row>(seqs: readonly Position[], columns: Statement, from: Statement): Row[] {
    return [...Map.groupBy(seqs, files.at)].flatMap(([partition, of]) => {
      if (!partition) return [];
      const { text } = sql`SELECT ${columns} FROM ${from} d.destination = ? AND d.seq = ?`;
      const statement = files.statement(partition, text);
      const destinations = destinationsIn(files.statement(partition, NEXT_DESTINATION));
      const rows = of.flatMap((seq) => destinations.map((destination) => statement.get(destination, seq)));
      return rows.filter((row) => row !== undefined) as object[] as Row[];
    });
  }

  return {
    names: {
      known: async (ids) => ids.map((id) => files.number(id)).filter((number) => number !== null),
      ids: async () => files.idOf,
    },
    fromText: files.fromText,
    cursor: ['position'],

    /** Read for the rows of a page alone: what a search looks through may be long. */
    attemptsOf({ position, destination }) {
      const partition = files.at(position);
      if (!partition) return [];
      const found = files.statement(partition, ATTEMPTS).get(destination, position);
      return readAttempts(String(found?.['attempts'] ?? ''), files.statement(partition, SELECT_ANSWERS));
    },

    async existing(some) {
      const all = files.live.prepare('SELECT DISTINCT destination FROM lanes').all();
      return all.map(({ destination }) => Number(destination)).filter((number) => some?.includes(number) ?? true);
    },
    deliveriesAt: async (position) => deliveriesOf<DeliveryRow>([position], DELIVERY, DELIVERIES),
    statesAt: async (positions) => deliveriesOf(positions, STATE, sql`deliveries d WHERE`),

    deliveries: ({ destinations, indexed, ...asked }) => ({
      ...{ order: ['position', 'destination'], streams: destinations.length },
      async look(after, each, enough) {
        const pieces = destinations.map((destination) => {
          const before = after.position + Number(destination < (after.destination ?? 0));
          const from = sql`${DELIVERIES} ${isInState(indexed)} d.destination = ${destination} AND`;
          const looked = { columns: DELIVERY, from, seq: sql`d.seq`, order: NEWEST_FIRST };
          return look<DeliveryRow>(files.stretches({ before }, asked).reverse(), looked, asked, each, enough);
        });
        return { rows: pieces.flatMap(({ rows }) => rows), ends: pieces.flatMap(({ ends }) => ends) };
      },
    }),

    async events({ source, positions, ...asked }) {
      const isOf = source === null ? sql`` : sql`e.source = ${source} AND`;
      const isOne = positions ? sql`e.seq IN (${list(positions)}) AND` : isOf;
      const looked = { columns: SUMMARY, from: sql`events e WHERE ${isOne}`, seq: sql`e.seq`, order: NEWEST_FIRST };
      return {
        ...{ order: ['position'], streams: 1 },
        look: async ({ position: before }, each, enough) =>
          look(files.stretches({ before }, asked).reverse(), looked, asked, each, enough),
      };
    },

    async candidates({ destination, failed, ...asked }) {
      const from = failed
        ? sql`${DELIVERIES} ${isInState(FAILED)} d.destination = ${destination} AND ${KEPT} AND`
        : sql`events e WHERE ${KEPT} AND`;
      const columns = failed ? sql`${SUMMARY}, d.attempts, d.reason` : SUMMARY;
      const looked = { columns, from, seq: failed ? sql`d.seq` : sql`e.seq`, order: sql`` };
      return {
        streams: 1,
        look: async ({ position: after }, each, enough) =>
          look(files.stretches({ after }, asked), looked, asked, each, enough),
      };
    },
  };
}

/** What a search looks at: tables with the conditions for which there is an index, in the order of `seq`. */
interface Looked {
  readonly columns: Statement;
  readonly from: Statement;
  readonly seq: Statement;
  readonly order: Statement;
}

const NEWEST_FIRST = sql`DESC`;
const FAILED = numberOfState('failed');

const DELIVERIES = sql`deliveries d JOIN events e ON e.seq = d.seq WHERE`;
const DELIVERY = sql`${SUMMARY}, d.destination, d.state, d.reason, d.rounds, d.due_at, d.urls_left, d.at`;
const STATE = sql`d.seq AS position, d.destination, d.state`;
const ATTEMPTS = 'SELECT attempts FROM deliveries WHERE destination = ? AND seq = ?';

/** The state is named twice so that the partial index applies. */
function isInState(state: number | null): Statement {
  return state === null ? sql`` : sql`d.state <> 0 AND d.state = ${state} AND`;
}

function isWithin({ from, to }: Pick<AskedEvents, 'from' | 'to'>): Statement[] {
  return [...(from === null ? [] : [sql`received_at >= ${from}`]), ...(to === null ? [] : [sql`received_at < ${to}`])];
}
