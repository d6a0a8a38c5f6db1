import { systemClock } from '../../core/clock.ts';
import { pause } from '../../core/pause.ts';
import type { Erasure } from '../../regulations/contract.ts';
import type { SqliteEventLog } from './event-log.ts';
import type { SqliteWorld } from './world.ts';

/** Events that one transaction removes: commits wait no longer than for these. */
const EVENTS_PER_TRANSACTION = 200;
/** Wait when a reader has a log open that is to be cut. */
const CUT_RETRY_MS = 20;

/** Removes events from the partitions and from the memory of the log; see regulations/contract.ts for what it promises. */
export function sqliteErasure(
  { writer, laneReader, queryReader, committer, clock }: SqliteWorld,
  log: SqliteEventLog,
): Erasure {
  return {
    async end() {
      await committer.caughtUp();
      return [await writer.remote.lastSeq()];
    },

    find: (userIds, after, [through = 0]) => queryReader.remote.findUsers(userIds, after, through),

    async erase(events) {
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
    },

    async purge(signal) {
      for (;;) {
        signal.throwIfAborted();
        if (await writer.remote.purge()) return;
        // A reader's thread still has a statement under way. It ends in real time, which the clock of a test does not follow.
        await pause(CUT_RETRY_MS, signal, systemClock);
      }
    },
  };
}
