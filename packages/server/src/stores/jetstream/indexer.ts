import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import type { LogEntry } from '../../core/event.ts';
import type { SourceDuplicates, StreamIndex } from '../../log/stream-index.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { decodePack, entriesOf } from './pack.ts';
import { endOf, seqOf } from './position.ts';

/** Most of what is added to the index at a time. */
const MOST_PACKS = 4_096;
const MOST_BYTES = 4 * 1024 * 1024;
/** Packs that are on their way from the server ahead of the index. */
const AHEAD = 32;
/** After so long without a message it is asked whether there is one. */
const SILENT_MS = 5_000;
/** Wait after a failure. */
const RETRY_MS = 500;

/**
 * Runs `work` whenever this process leads a shard, and no other process does; `signal` aborts when it no longer may. What it
 * answers ends that, and resolves when the work has ended.
 */
export type Lead = (shard: number, work: (signal: AbortSignal) => Promise<void>) => () => Promise<void>;

export interface IndexerOptions {
  readonly link: Link;
  readonly names: Names;
  readonly index: StreamIndex;
  readonly report: (error: unknown) => void;
  /** A shard was added up to a place of its stream. */
  readonly added: (shard: number, seq: number) => void;
}

/** Fills the index from a shard's stream, in order, from where whoever led before has come to. */
export class Indexer {
  readonly #options: IndexerOptions;

  constructor(options: IndexerOptions) {
    this.#options = options;
  }

  /** Resolves when the signal aborts; whatever fails before that is reported and begun again. */
  async run(shard: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#follow(shard, signal);
      } catch (error) {
        if (!signal.aborted) this.#options.report(error);
      }
      if (!signal.aborted) await pause(RETRY_MS, signal);
    }
  }

  async #follow(shard: number, signal: AbortSignal): Promise<void> {
    const { link, names, index } = this.#options;
    await link.up();
    const from = await this.#passLost(shard, seqOf(await index.through(shard)) + 1);
    // What no session reads any more goes by itself.
    const consumer = await link.js.consumers.get(names.stream(shard), {
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: from,
    });
    const messages = await consumer.consume({ max_messages: AHEAD, idle_heartbeat: 5_000 });
    const stop = (): void => messages.stop();
    signal.addEventListener('abort', stop, { once: true });
    // What is added while the next is gathered.
    let adding = Promise.resolve();
    let [heardAt, reached] = [performance.now(), from - 1];
    // The consumer lives on one server, and is not always made again when that one dies: then it is silent for good.
    const watch = setInterval(() => {
      if (performance.now() - heardAt < SILENT_MS) return;
      const info = link.jsm.streams.info(names.stream(shard));
      // Where nobody knows now, it is looked at again.
      info.then(({ state }) => state.last_seq > reached && stop()).catch(() => undefined);
    }, SILENT_MS);
    watch.unref();
    try {
      if (signal.aborted) return;
      let gathered: JsMsg[] = [];
      let bytes = 0;
      for await (const message of messages) {
        [heardAt, reached] = [performance.now(), message.seq];
        gathered.push(message);
        bytes += message.data.byteLength;
        if (message.info.pending > 0 && bytes < MOST_BYTES && gathered.length < MOST_PACKS) continue;
        await adding;
        heardAt = performance.now();
        if (signal.aborted) return;
        adding = this.#add(shard, gathered);
        adding.catch(stop);
        gathered = [];
        bytes = 0;
      }
    } finally {
      clearInterval(watch);
      signal.removeEventListener('abort', stop);
      messages.stop();
      await adding;
    }
  }

  /** What the stream dropped before it was indexed is lost, and said so. Answers where to begin. */
  async #passLost(shard: number, from: number): Promise<number> {
    const { link, names, index, report } = this.#options;
    const stream = names.stream(shard);
    const first = (await link.jsm.streams.info(stream)).state.first_seq;
    if (first <= from) return from;
    await index.add(shard, [], endOf(shard, first - 1), []);
    this.#options.added(shard, first - 1);
    report(
      new Error(
        `The stream ${stream} lost ${first - from} of its packs by their age before any node had counted them. No node ran, or the database was away, for as long as events are kept.`,
      ),
    );
    return first;
  }

  async #add(shard: number, messages: readonly JsMsg[]): Promise<void> {
    const entries: LogEntry[] = [];
    const duplicates = new Map<string, number>();
    let through = 0;
    for (const { seq, data } of messages) {
      const pack = decodePack(data);
      for (const entry of entriesOf(pack, shard, seq)) entries.push(entry);
      if (pack.duplicates > 0) {
        duplicates.set(pack.sourceId, (duplicates.get(pack.sourceId) ?? 0) + pack.duplicates);
      }
      through = seq;
    }
    const counts = Array.from(duplicates, ([sourceId, count]): SourceDuplicates => ({ sourceId, count }));
    await this.#options.index.add(shard, entries, endOf(shard, through), counts);
    this.#options.added(shard, through);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
