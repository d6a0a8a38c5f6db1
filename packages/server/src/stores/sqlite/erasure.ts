import { systemClock } from '../../core/clock.ts';
import { pause } from '../../core/pause.ts';
import type { Erasure } from '../../regulations/contract.ts';
import type { SqliteEventLog } from './event-log.ts';
import type { SqliteWorld } from './world.ts';

/** Events removed per transaction. Commits wait while it runs. */
const EVENTS_PER_TRANSACTION = 200;
/** Wait before the next attempt if a reader is using a write-ahead log. */
const CUT_RETRY_MS = 20;

/** Removes events from the partitions and from the log's memory. See regulations/contract.ts for the promises. */
export function sqliteErasure(
  { writer, laneReader, queryReader, committer, clock, placeholderIds }: SqliteWorld,
  log: SqliteEventLog,
): Erasure {
  return {
    async end() {
      await committer.caughtUp();
      return [await writer.remote.lastSeq()];
    },

    find: (ids, after, [through = 0], anonymousIds = []) =>
      queryReader.remote.findUsers({ ids, anonymousIds, placeholderIds }, after, through),

    async erase(events) {
      for (let start = 0; start < events.length; start += EVENTS_PER_TRANSACTION) {
        const page = events.slice(start, start + EVENTS_PER_TRANSACTION);
        await writer.remote.erase(
          page.map(({ position }) => position),
          clock.now(),
        );
        log.forget(page);
      }
      // The reader answers in order. So after this answer, everything read before the removal has arrived.
      await laneReader.remote.fetch([]);
    },

    purge: (signal) => untilCut(() => writer.remote.purge(), signal),
  };
}

/** Calls `cut` until it answers true. Rejects with the signal's reason if the signal aborts. */
export async function untilCut(cut: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await cut()) return;
    // A statement on a reader's thread is still running. It ends in real time, not in the time of a test's clock.
    await pause(CUT_RETRY_MS, signal, systemClock);
  }
}
