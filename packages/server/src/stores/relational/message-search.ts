import {
  type Attempt,
  endedWithDestination,
  numbersSeenAs,
  stateOf,
  stateWithoutDestination,
} from '../../core/delivery.ts';
import { EVENT_TYPES, type Position } from '../../core/event.ts';
import { foldCase } from '../../core/fold-case.ts';
import { failureOf, isEnd, lastFailure } from '../../core/tally.ts';
import type { Delivery, DeliveryStore, EventPage, EventQuery, ReplayQuery } from '../../record/contract.ts';
import type { Dictionary } from './dictionary.ts';
import { type DeliveryRow, deliveryOf, type SummaryRow, summaryOf } from './message-rows.ts';
import { HIGHEST, type Search, searchPiecewise } from './piecewise.ts';
import { list, type Statement, sql } from './sql.ts';

/** A row's place in a list. */
export interface Place {
  readonly received_at: number;
  readonly position: number;
  readonly destination?: number;
}

type Field = keyof Place;

/** Rows of which a list wants those for which `wanted` holds: it names columns of the rows, without the name of a table. */
interface Asked {
  readonly wanted: Statement;
  readonly from: number | null;
  readonly to: number | null;
}

export interface AskedDeliveries extends Asked {
  readonly destinations: readonly number[];
  /** The one state that is wanted, if an index has it: none has processed deliveries. */
  readonly indexed: number | null;
}

export interface AskedEvents extends Asked {
  /** Null for all sources. */
  readonly source: number | null;
  /** Null unless a whole messageId is asked for. */
  readonly messageId: string | null;
  /** The positions of the events with this messageId; null if the database must find them. */
  readonly positions: readonly Position[] | null;
}

export interface AskedCandidates extends Asked {
  readonly sources: readonly number[];
  readonly destination: number;
  /** Whether only failed deliveries are asked for. */
  readonly failed: boolean;
}

/** A failed delivery of an event. Of its attempts the answers may be left out. */
type CandidateRow = SummaryRow & { readonly attempts?: string; readonly reason?: string | null };

/** How a search looks at rows. `order` is by which fields the rows are ordered, the highest first. */
export interface Looking<Row extends Place> extends Pick<Search<Place, Row>, 'streams' | 'look'> {
  readonly order: readonly Field[];
}

/** The rows of events and deliveries in a database, which finds them in its own way. */
export interface MessageTables {
  readonly names: Pick<Dictionary, 'known' | 'ids'>;
  fromText(text: string): string;
  /** What the cursor of a list of events is made of. */
  readonly cursor: readonly Field[];
  /** The kept attempts of a delivery. */
  attemptsOf(row: DeliveryRow): readonly Attempt[];
  /** Which destinations have lanes: of these, or of all. */
  existing(destinations: readonly number[] | null): Promise<readonly number[]>;
  deliveriesAt(position: Position): Promise<readonly DeliveryRow[]>;
  statesAt(positions: readonly Position[]): Promise<readonly Pick<DeliveryRow, 'position' | 'destination' | 'state'>[]>;
  deliveries(asked: AskedDeliveries): Looking<DeliveryRow>;
  events(asked: AskedEvents): Promise<Looking<SummaryRow>>;
  /** In the order of positions, the lowest first. */
  candidates(asked: AskedCandidates): Promise<Omit<Looking<CandidateRow>, 'order'>>;
}

/** What the store of deliveries answers of lists and of single messages. */
export interface MessageSearch extends Pick<DeliveryStore, 'list' | 'deliveriesOf' | 'statesOf' | 'candidates'> {
  /** `positions`: see AskedEvents. */
  events(query: EventQuery, positions?: readonly Position[] | null): Promise<EventPage>;
}

/**
 * Lists of deliveries and events, and the events that a replay would take, newest first or in the order of positions. Indexes
 * have destinations, sources, states and times. Every other word is compared row by row, so many rows a page: an index of its
 * own would cost more, on every append, than the event.
 */
export function messageSearch(tables: MessageTables): MessageSearch {
  const { names, fromText } = tables;
  /** The number of an id; null if it was never used. */
  const numberOf = async (id: string): Promise<number | null> => (await names.known([id]))[0] ?? null;
  const nothing = { items: [], next: null };

  async function toDeliveries(rows: readonly DeliveryRow[]): Promise<Delivery[]> {
    const there = new Set(await tables.existing([...new Set(rows.map(({ destination }) => destination))]));
    const idOf = await names.ids(rows.flatMap(({ source, destination }) => [source, destination]));
    return rows.map((row) => {
      const delivery = deliveryOf(row, tables.attemptsOf(row), { fromText, idOf });
      return there.has(row.destination) ? delivery : endedWithDestination(delivery);
    });
  }

  /** Why a delivery failed; see ReplayCandidate. In SQLite, other lines than those of attempts refer to answers. */
  function errorOf({ attempts = '', reason = null }: CandidateRow): string | null {
    const lines = attempts.split('\n').filter((line) => line.startsWith('{'));
    const tried = lines.map((line) => JSON.parse(line) as Attempt);
    return failureOf(lastFailure(tried), reason === null ? null : fromText(reason));
  }

  return {
    async list({ destinationId, state, ...query }) {
      const asked = destinationId === null ? null : await names.known([destinationId]);
      const existing = await tables.existing(asked);
      const destinations = asked ?? existing;
      const states = state && numbersSeenAs(state, asked === null || existing.length > 0);
      if (destinations.length === 0 || states?.length === 0) return nothing;
      const wanted = allOf(...(states ? [sql`state IN (${list(states)})`] : []), ...wordsOf(query));
      const indexed = states?.length === 1 ? (states[0] ?? 0) || null : null;
      const fields: readonly Field[] = [...tables.cursor, 'destination'];
      const { order, ...looking } = tables.deliveries({ ...query, destinations, indexed, wanted });
      const { rows, last } = await searchPiecewise({
        ...{ ...looking, compare: highestFirst(order), limit: query.limit, start: startOf(query.cursor, fields) },
      });
      return { items: await toDeliveries(rows), next: cursorOf(last, fields) };
    },

    async events({ sourceId, type, messageId, ...query }, positions = null) {
      const source = sourceId === null ? null : await numberOf(sourceId);
      if (sourceId !== null && source === null) return nothing;
      const isType = type === null ? [] : [sql`type = ${EVENT_TYPES.indexOf(type)}`];
      const wanted = allOf(...isType, ...wordsOf({ ...query, messageId }));
      const exact = query.match === 'prefix' ? null : messageId;
      const { order, ...looking } = await tables.events({ ...query, source, wanted, messageId: exact, positions });
      const { rows, last } = await searchPiecewise({
        ...{ ...looking, compare: highestFirst(order), limit: query.limit },
        start: startOf(query.cursor, tables.cursor),
      });
      const idOf = await names.ids(rows.map((row) => row.source));
      return {
        items: rows.map((row) => summaryOf(row, { fromText, idOf })),
        next: cursorOf(last, tables.cursor),
      };
    },

    async candidates({ state, sourceIds, destinationId, error, after, limit, ...query }) {
      const sources = await names.known(sourceIds);
      const destination = await numberOf(destinationId);
      const failed = state === 'failed';
      if (sources.length === 0 || (failed && destination === null)) return nothing;
      const isTold = failed && error !== null ? [tells(error)] : [];
      const wanted = allOf(sql`source IN (${list(sources)})`, ...wordsOf(query), ...isTold);
      const asked = { ...query, sources, destination: destination ?? 0, failed, wanted };
      const { streams, look } = await tables.candidates(asked);
      const isAsked = (row: CandidateRow): boolean => error === null || (failed && isEnd(errorOf(row), error));
      const { rows, last } = await searchPiecewise<Place, CandidateRow>({
        ...{ limit, streams, start: { position: after, received_at: 0 } },
        compare: (a, b) => a.position - b.position,
        async look(place, each, enough) {
          const { rows, ends } = await look(place, each, error === null ? enough : each);
          return { rows: rows.filter(isAsked), ends };
        },
      });
      const idOf = await names.ids(rows.map((row) => row.source));
      return {
        items: rows.map((row) => ({ ...summaryOf(row, { fromText, idOf }), error: failed ? errorOf(row) : null })),
        next: last?.position ?? null,
      };
    },

    deliveriesOf: async (position) => toDeliveries(await tables.deliveriesAt(position)),

    async statesOf(positions) {
      const rows = await tables.statesAt(positions);
      const destinations = [...new Set(rows.map(({ destination }) => destination))];
      const there = new Set(await tables.existing(destinations));
      const idOf = await names.ids(destinations);
      return rows.map(({ position, destination, ...row }) => {
        const state = stateOf(row.state);
        const seen = there.has(destination) ? state : stateWithoutDestination(state);
        return { position, destinationId: idOf(destination), state: seen };
      });
    },
  };
}

type Words = Pick<ReplayQuery, 'event' | 'userId'> & Partial<Pick<EventQuery, 'messageId' | 'match'>>;

/** The conditions that a row has the words of a query. */
function wordsOf({ event, userId, messageId = null, match }: Words): Statement[] {
  const compare = match === 'prefix' ? beginsWith : (column: Statement, text: string) => sql`${column} = ${text}`;
  return [
    ...(event === null ? [] : [compare(sql`name`, event)]),
    ...(userId === null ? [] : [compare(sql`user_id`, userId)]),
    ...(messageId === null ? [] : [compare(sql`message_id`, messageId)]),
  ];
}

/** Both databases know only A to Z as letters with a lower case here, and compare texts by their bytes. */
function beginsWith(column: Statement, text: string): Statement {
  const first = foldCase(text);
  return sql`(lower(${column}) >= ${first} AND lower(${column}) < ${`${first}\u{10FFFF}`})`;
}

/** Leaves out deliveries whose attempts and reason do not contain this error, so that few of them need to be read. */
function tells(error: string): Statement {
  const part = error.replace(/^(\d+)(xx)?$/, '"status":$1');
  return sql`(attempts || coalesce(reason, '')) LIKE ${`%${part}%`}`;
}

function allOf(...conditions: readonly Statement[]): Statement {
  return conditions.length === 0 ? sql`1 = 1` : list(conditions, ' AND ');
}

function highestFirst(fields: readonly Field[]): (a: Place, b: Place) => number {
  return (a, b) => {
    const field = fields.find((each) => a[each] !== b[each]);
    return field === undefined ? 0 : (b[field] ?? 0) - (a[field] ?? 0);
  };
}

/** Where a page begins. */
function startOf(cursor: string | null, fields: readonly Field[]): Place {
  const start: Place = { received_at: HIGHEST, position: HIGHEST, destination: HIGHEST };
  const numbers = cursor?.split('-').map(Number) ?? [];
  return { ...start, ...Object.fromEntries(numbers.map((number, i) => [fields[i], number])) };
}

function cursorOf(last: Place | null, fields: readonly Field[]): string | null {
  return last && fields.map((field) => last[field] ?? 0).join('-');
}
