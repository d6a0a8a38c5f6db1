import { endedWithDestination, numbersSeenAs, stateOf, stateWithoutDestination } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { Delivery, DeliveryPage, DeliveryQuery, DeliveryStateOf } from '../../record/contract.ts';
import type { Dictionary } from '../relational/dictionary.ts';
import type { Database } from './database.ts';
import { DELIVERY, type DeliveryRow, deliveryOf, SUMMARY } from './delivery-rows.ts';
import { HIGHEST, LOWEST, type NumberedRow, numberedSql, searchPiecewise } from './piecewise.ts';
import { toTextOrNull } from './text.ts';

/** Where a page of deliveries ends. Newest first; deliveries of one event by destination. */
type Key = Pick<DeliveryRow, 'received_at' | 'position' | 'destination'>;

type FoundRow = DeliveryRow & Existing & NumberedRow;

/**
 * See DeliveryStore.list. Destinations are searched in parallel, each in a range of an index: by time, and for all states
 * except processed by state and time. The other words of the query are compared row by row.
 */
export async function listDeliveries(
  database: Database,
  dictionary: Dictionary,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  const destinations = await destinationsOf(database, dictionary, query.destinationId);
  if (destinations.length === 0) return { items: [], next: null };
  const isThere = query.destinationId === null || (await exists(database, destinations));
  const states = query.state && numbersSeenAs(query.state, isThere);
  if (states?.length === 0) return { items: [], next: null };
  const [indexed = 0] = states?.length === 1 ? states : [];
  const sql = numberedSql(
    'unnest($1::int[]) x(number)',
    `SELECT ${SUMMARY}, ${DELIVERY}, ${isThere} AS exists FROM deliveries d
     JOIN events e ON e.position = d.position AND e.received_at = d.received_at
     WHERE d.destination = x.number ${indexed === 0 ? '' : `AND d.state <> 0 AND d.state = ${indexed}`}
       AND d.received_at >= $2 AND d.received_at < $3
       AND (d.received_at, d.position) < ($4, $5::bigint + (x.number < $6)::int)
     ORDER BY d.received_at DESC, d.position DESC LIMIT $7`,
    'w.received_at DESC, w.position DESC',
    `${states === null ? 'true' : `w.state IN (${states.join()})`}
      AND ($8::text IS NULL OR w.name = $8) AND ($9::text IS NULL OR w.user_id = $9)`,
  );
  const filters = [toTextOrNull(query.event), toTextOrNull(query.userId)];
  const times = [query.from ?? LOWEST, query.to ?? HIGHEST];
  const { rows, last } = await searchPiecewise<Key, FoundRow>({
    ...{ limit: query.limit, streams: destinations.length, compare: newestFirst },
    start: query.cursor === null ? FIRST : parse(query.cursor),
    look({ received_at, position, destination }, each) {
      const after = [received_at, position, destination];
      return database.queryByIndex(sql, [destinations, ...times, ...after, each, ...filters]);
    },
  });
  return {
    items: await toDeliveries(dictionary, rows),
    next: last && [last.received_at, last.position, last.destination].join('-'),
  };
}

/** See DeliveryStore.deliveriesOf. */
export async function deliveriesOf(database: Database, dictionary: Dictionary, position: number): Promise<Delivery[]> {
  const rows = await database.query<DeliveryRow & Existing>(
    `SELECT ${SUMMARY}, ${DELIVERY}, ${EXISTS} FROM events e
     JOIN deliveries d ON d.position = e.position AND d.received_at = e.received_at
     WHERE e.position = $1 ORDER BY d.destination`,
    [position],
  );
  return toDeliveries(dictionary, rows);
}

/** See DeliveryStore.statesOf. */
export async function statesOf(
  database: Database,
  dictionary: Dictionary,
  positions: readonly Position[],
): Promise<DeliveryStateOf[]> {
  const rows = await database.query<{ position: number; destination: number; state: number } & Existing>(
    `SELECT position, destination, state, ${EXISTS} FROM deliveries d WHERE position = ANY($1::bigint[]) ORDER BY position, destination`,
    [positions],
  );
  const idOf = await dictionary.ids(rows.map(({ destination }) => destination));
  return rows.map(({ position, destination, state: number, exists }) => {
    const state = stateOf(number);
    return { position, destinationId: idOf(destination), state: exists ? state : stateWithoutDestination(state) };
  });
}

async function toDeliveries(dictionary: Dictionary, rows: readonly (DeliveryRow & Existing)[]): Promise<Delivery[]> {
  const idOf = await dictionary.ids(rows.flatMap(({ source, destination }) => [source, destination]));
  return rows.map((row) => {
    const delivery = deliveryOf(row, idOf);
    return row.exists ? delivery : endedWithDestination(delivery);
  });
}

/** The destination that is asked for, or all that have a lane. */
async function destinationsOf(database: Database, dictionary: Dictionary, id: string | null): Promise<number[]> {
  if (id !== null) return dictionary.known([id]);
  const rows = await database.query<{ destination: number }>('SELECT DISTINCT destination FROM lanes');
  return rows.map(({ destination }) => destination);
}

async function exists(database: Database, destinations: readonly number[]): Promise<boolean> {
  const rows = await database.query('SELECT FROM lanes WHERE destination = ANY($1::int[]) LIMIT 1', [destinations]);
  return rows.length > 0;
}

/** Whether the destination of a delivery `d` still has a lane. */
const EXISTS = 'EXISTS (SELECT FROM lanes l WHERE l.destination = d.destination) AS exists';

interface Existing {
  readonly exists: boolean;
}

const FIRST: Key = { received_at: HIGHEST, position: 0, destination: 0 };

function newestFirst(a: Key, b: Key): number {
  return b.received_at - a.received_at || b.position - a.position || b.destination - a.destination;
}

function parse(cursor: string): Key {
  const [received_at = 0, position = 0, destination = 0] = cursor.split('-').map(Number);
  return { received_at, position, destination };
}
