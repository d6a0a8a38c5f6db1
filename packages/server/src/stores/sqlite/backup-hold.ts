/** How long the writer stands still at most, milliseconds. */
const HOLD_MS = 1_000;
/** How long a backup waits for the writer to end what it does, milliseconds. */
const TIMEOUT_MS = 30_000;

/** The states of a hold, in the order they are gone through; it may be over at any time. */
const ASKED = 0;
const HELD = 1;
const OVER = 2;

/** Memory that the writer's thread and a backup's thread share: the state of a hold, and how long it took in microseconds. */
export type Hold = Int32Array<SharedArrayBuffer>;

export function newHold(): Hold {
  return new Int32Array(new SharedArrayBuffer(8));
}

/** On the writer's thread: stands still until the backup lets go, a second at most. Nothing is written meanwhile. */
export function standStill(hold: Hold): void {
  if (Atomics.compareExchange(hold, 0, ASKED, HELD) !== ASKED) return;
  const begun = performance.now();
  Atomics.notify(hold, 0);
  Atomics.wait(hold, 0, HELD, HOLD_MS);
  Atomics.store(hold, 0, OVER);
  Atomics.store(hold, 1, Math.ceil((performance.now() - begun) * 1_000));
}

/**
 * On the backup's thread: does the work while the writer stands still, from its first statement to its last.
 *
 * @throws Error when the writer could not wait that long; then what the work read may be of different moments.
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

/** How long the writer stood still, milliseconds. */
export function heldMs(hold: Hold): number {
  return Atomics.load(hold, 1) / 1_000;
}
