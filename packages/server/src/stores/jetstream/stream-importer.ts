import type { StreamState } from '@nats-io/jetstream';
import type { Event, Position } from '../../core/event.ts';
import { pause } from '../../core/pause.ts';
import { weightOf } from '../../core/weight.ts';
import type { MovedEvent, Run, StreamImporter } from '../../migrate/contract.ts';
import { HEADERS_BYTES, MAX_BATCH_BYTES } from './appender.ts';
import { compressBatch, encodeBatch, plainBatch } from './batch.ts';
import { noMessage } from './batch-reader.ts';
import { apiCode, isFull, isPassing, storageFault, WRONG_LAST_SEQUENCE } from './failure.ts';
import { LaneConsumers } from './lane-consumers.ts';
import { Link } from './link.ts';
import { Names } from './names.ts';
import { endOf, MAX_BATCH_EVENTS, positionOf, seqOf } from './position.ts';
import { prepareStreams, type StreamOptions } from './streams.ts';

export interface StreamImporterOptions extends StreamOptions {
  readonly url: string;
  readonly shards: number;
  readonly ackWait: number;
  /** Of the database that the rest is moved to. */
  readonly cluster: string;
  readonly report: (error: unknown) => void;
}

const PREFIX = 'millrace';
/** How many batches are on their way at a time. */
const WINDOW = 64;
/** Wait after a failure, and how long retries may bring no progress, milliseconds. */
const PAUSE_MS = 500;
const GRACE_PERIOD_MS = 120_000;

/**
 * Connects to NATS to move events into its streams, and prepares the streams.
 *
 * @throws Error that says what is wrong with the servers or the settings, and the fix. Then nothing is left open.
 */
export async function openStreamImporter({
  url,
  shards,
  ackWait,
  cluster,
  report,
  ...options
}: StreamImporterOptions): Promise<StreamImporter> {
  const names = new Names(PREFIX, shards);
  const link = await Link.open({ url, name: PREFIX, report });
  try {
    // The move itself finds out whether something is there, and runs beside no node.
    const owner = { cluster: async () => cluster, isNew: async () => false, isFilledElsewhere: async () => false };
    await prepareStreams(link, names, options, owner);
    return importerOf(link, names, ackWait, report);
  } catch (error) {
    await link.close();
    throw error;
  }
}

/** A batch for the next place of a stream. */
interface Packed {
  readonly subject: string;
  readonly bytes: Uint8Array;
  /** Indexes of its events in the list of events to move, in order. */
  readonly places: readonly number[];
}

/** See migrate/contract.ts for its promises. */
function importerOf(link: Link, names: Names, ackWait: number, report: (error: unknown) => void): StreamImporter {
  /** By lane: up to this position, everything has a delivery. */
  const settled = new Map<number, Position>();
  const settledThrough = async (laneId: number): Promise<Position> => settled.get(laneId) ?? 0;
  const consumers = new LaneConsumers({ link, names, ackWait, report }, settledThrough);

  /** Makes batches of a source's events, as a node would. The same events always give the same batches. */
  function batchesOf(sourceId: string, places: readonly number[], events: readonly MovedEvent[]): Packed[] {
    const batches: Packed[] = [];
    let begun: number[] = [];
    let bytes = 0;
    const end = (): void => {
      if (begun.length > 0) batches.push(...encode(sourceId, begun, events));
      [begun, bytes] = [[], 0];
    };
    for (const place of places) {
      const size = weightOf(events[place]);
      const notices = events[begun[0] ?? place]?.type === 'delete';
      const isOther = (events[place]?.type === 'delete') !== notices;
      if (begun.length >= MAX_BATCH_EVENTS || bytes + size > MAX_BATCH_BYTES || isOther) end();
      begun.push(place);
      bytes += size;
    }
    end();
    return batches;
  }

  /** Encodes events as one batch, or as halves if it is too large for the servers. A removed event only takes an index. */
  function encode(sourceId: string, places: readonly number[], events: readonly MovedEvent[]): Packed[] {
    const kept: Event[] = [];
    const indices: number[] = [];
    for (const [index, place] of places.entries()) {
      const event = events[place];
      if (!event || event.body.byteLength === 0) continue;
      kept.push(event);
      indices.push(index);
    }
    const bytes = encodeBatch({
      ...{ sourceId, events: kept, duplicates: 0 },
      places: kept.length < places.length ? indices : undefined,
    });
    const most = link.maxPayload - HEADERS_BYTES;
    if (bytes.byteLength > most) {
      if (places.length < 2) {
        throw new Error(
          `An event takes ${bytes.byteLength} bytes, and the NATS servers take ${most} in one message: raise their max_payload, and run it again.`,
        );
      }
      const half = Math.ceil(places.length / 2);
      return [places.slice(0, half), places.slice(half)].flatMap((some) => encode(sourceId, some, events));
    }
    // No lane has to read a batch without events.
    const subject = kept.length > 0 ? names.events(sourceId) : names.duplicates(sourceId);
    return [{ subject, bytes, places }];
  }

  /** Publishes these batches directly after `end`. NATS stores each at its exact place or not at all. */
  async function publish(shard: number, end: number, batches: readonly Packed[]): Promise<void> {
    const stream = names.stream(shard);
    let done = await alreadyThere(shard, end, batches);
    let advancedAt = performance.now();
    while (done < batches.length) {
      const from = done;
      const sent = await Promise.allSettled(
        batches.slice(from, from + WINDOW).map(({ subject, bytes }, i) => {
          const expect = { streamName: stream, lastSequence: end + from + i };
          return link.js.publish(subject, compressBatch(bytes), { expect });
        }),
      );
      const failure = sent.find((each) => each.status === 'rejected')?.reason as unknown;
      if (failure === undefined) {
        done += sent.length;
        continue;
      }
      if (isFull(failure)) throw storageFault(failure);
      // If a message was not stored, the ones after it are not either.
      if (!isPassing(failure) && !WRONG_LAST_SEQUENCE.has(apiCode(failure))) throw failure;
      await pause(PAUSE_MS);
      done = await alreadyThere(shard, end, batches);
      if (done > from) advancedAt = performance.now();
      else if (performance.now() - advancedAt > GRACE_PERIOD_MS) throw storageFault(failure);
    }
  }

  /**
   * How many of these batches the stream already has.
   *
   * @throws Error if something else follows `end`.
   */
  async function alreadyThere(shard: number, end: number, batches: readonly Packed[]): Promise<number> {
    const stream = names.stream(shard);
    const there = (await state(shard)).last_seq - end;
    for (let i = 0; i < there; i++) {
      const message = await link.jsm.streams.getMessage(stream, { seq: end + 1 + i }).catch(noMessage);
      const batch = batches[i];
      if (batch && message && Buffer.compare(plainBatch(message.data), batch.bytes) === 0) continue;
      throw new Error(`The stream ${stream} has messages that are not of this move. ${ANEW}`);
    }
    if (there < 0) throw new Error(`The stream ${stream} has lost what was moved into it. ${ANEW}`);
    return there;
  }

  async function state(shard: number): Promise<StreamState> {
    const until = performance.now() + GRACE_PERIOD_MS;
    for (;;) {
      try {
        return (await link.jsm.streams.info(names.stream(shard))).state;
      } catch (error) {
        if (!isPassing(error) || performance.now() > until) throw storageFault(error);
        await pause(PAUSE_MS);
      }
    }
  }

  return {
    shardOf(sourceId: string): number {
      return names.shardOf(sourceId);
    },

    begin(): Promise<readonly Position[]> {
      const shards = Array.from({ length: names.shards }, (_, shard) => shard);
      return Promise.all(
        shards.map(async (shard) => {
          const { messages, last_seq } = await state(shard);
          if (messages > 0) throw new Error(`The stream ${names.stream(shard)} has events already. ${ANEW}`);
          return endOf(shard, last_seq);
        }),
      );
    },

    async put(events, ends) {
      const positions: Position[] = [];
      const runs: Run[] = [];
      const after = [...ends];
      const places = Map.groupBy(events.keys(), (place) => names.shardOf(events[place]?.sourceId ?? ''));
      for (const [shard, of] of places) {
        const end = seqOf(ends[shard] ?? endOf(shard, 0));
        const batches = [...Map.groupBy(of, (place) => events[place]?.sourceId ?? '')].flatMap(([sourceId, each]) =>
          batchesOf(sourceId, each, events),
        );
        await publish(shard, end, batches);
        for (const [i, batch] of batches.entries()) {
          const seq = end + 1 + i;
          for (const [index, place] of batch.places.entries()) positions[place] = positionOf(shard, seq, index);
          const first = events[batch.places[0] ?? 0];
          if (first) runs.push({ sourceId: first.sourceId, from: first.position, position: positionOf(shard, seq, 0) });
        }
        after[shard] = endOf(shard, end + batches.length);
      }
      return { positions, runs, ends: after };
    },

    async beginLane({ id, sourceId, destinationId, after, until }, through) {
      settled.set(id, through);
      await consumers.ensure({ id, sourceId, destinationId, after, until });
    },

    close(): Promise<void> {
      return link.close();
    },
  };
}

const ANEW =
  'Remove the streams (nats stream rm millrace-events-0, and so on) and empty the database (DROP SCHEMA millrace CASCADE), and run it again; or name others.';
