import { type Clock, systemClock } from '../../core/clock.ts';
import type { Position } from '../../core/event.ts';
import { pause } from '../../core/pause.ts';
import type { Cut } from '../../core/position.ts';
import type { ErasedEvent, Erasure, FoundPage } from '../../regulations/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import type { Committer } from './committer.ts';
import type { SqliteEventLog } from './event-log.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

export interface SqliteErasureOptions {
  readonly writer: Thread<Writer>;
  readonly laneReader: Thread<Reader>;
  readonly queryReader: Thread<Reader>;
  readonly committer: Committer;
  readonly log: SqliteEventLog;
  readonly clock: Clock;
}

/** Events that one transaction removes: commits wait no longer than for these. */
const EVENTS_PER_TRANSACTION = 200;
/** Wait when a reader has a log open that is to be cut. */
const CUT_RETRY_MS = 20;

/** Removes events from the partitions and from the memory of the log; see regulations/contract.ts for what it promises. */
export class SqliteErasure implements Erasure {
  readonly #options: SqliteErasureOptions;

  constructor(options: SqliteErasureOptions) {
    this.#options = options;
  }

  async end(): Promise<Cut> {
    await this.#options.committer.caughtUp();
    return [await this.#options.writer.remote.lastSeq()];
  }

  find(userIds: readonly string[], after: Position, [through = 0]: Cut): Promise<FoundPage> {
    return this.#options.queryReader.remote.findUsers(userIds, after, through);
  }

  async erase(events: readonly ErasedEvent[]): Promise<void> {
    const { writer, laneReader, log, clock } = this.#options;
    for (let start = 0; start < events.length; start += EVENTS_PER_TRANSACTION) {
      const page = events.slice(start, start + EVENTS_PER_TRANSACTION);
      await writer.remote.erase(
        page.map(({ position }) => position),
        clock.now(),
      );
      log.forget(page);
    }
    // Its answers come in order: with this one, all that was read before the removal has arrived.
    await laneReader.remote.fetch([]);
  }

  async purge(signal: AbortSignal): Promise<void> {
    const { writer } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (await writer.remote.purge()) return;
      // A reader's thread still has a statement under way. It ends in real time, which the clock of a test does not follow.
      await pause(CUT_RETRY_MS, signal, systemClock);
    }
  }
}
