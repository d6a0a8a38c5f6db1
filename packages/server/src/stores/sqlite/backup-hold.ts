/** The longest time the writer is paused, milliseconds. */
const HOLD_MS = 1_000;
/** How long a backup waits for the writer to finish its current work, milliseconds. */
const TIMEOUT_MS = 30_000;

/** The states of a hold, in order. It can become OVER at any time. */
const ASKED = 0;
const HELD = 1;
const OVER = 2;

/** Memory that the writer's thread and the backup's thread share: the state of a hold, and its length in microseconds. */
export type Hold = Int32Array<SharedArrayBuffer>;

export function newHold(): Hold {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** On the writer's thread: blocks until the backup ends the hold, at most `HOLD_MS`. Nothing is written meanwhile. */
export function standStill(hold: Hold): void {
  if (Atomics.compareExchange(hold, 0, ASKED, HELD) !== ASKED) return;
  const begun = performance.now();
  Atomics.notify(hold, 0);
  Atomics.wait(hold, 0, HELD, HOLD_MS);
  Atomics.store(hold, 0, OVER);
  Atomics.store(hold, 1, Math.ceil((performance.now() - begun) * 1_000));
}

/**
 * On the backup's thread: runs `work` while the writer is blocked.
 *
 * @throws Error if the hold ended before `work` did: then the files may have been read at different moments.
 */
export function whileHeld<T>(hold: Hold, work: () => T): T {
  Atomics.wait(hold, 0, ASKED, TIMEOUT_MS);
  try {
    if (Atomics.load(hold, 0) !== HELD) throw new Error(`Storage did not come to rest within ${TIMEOUT_MS / 1_000} s`);
    const result = work();
    if (Atomics.load(hold, 0) === HELD) return result;
    throw new Error(`The files could not be opened within ${HOLD_MS / 1_000} s, for which calls may wait`);
  } finally {
    giveUp(hold);
  }
}

/** From any thread: ends a hold. */
export function giveUp(hold: Hold): void {
  Atomics.store(hold, 0, OVER);
  Atomics.notify(hold, 0);
}

/** How long the writer was blocked, milliseconds. */
export function heldMs(hold: Hold): number {
  return Atomics.load(hold, 1) / 1_000;
}
