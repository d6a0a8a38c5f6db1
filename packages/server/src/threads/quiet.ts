import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often a thread looks at what it did, milliseconds. */
const LOOK_EVERY_MS = 10_000;
/** Shares of the time that a thread worked: above the one it was busy, below the other it is quiet. */
const BUSY = 0.2;
const QUIET = 0.05;

/**
 * Gives memory back when a thread is quiet after it was busy; a thread that has just begun counts as busy. V8 collects garbage when more is allocated, and SQLite keeps pages
 * until it needs their room: without this, the memory of a flood would stay for as long as nothing follows it. `release` lets go of
 * what the thread's own objects hold. Looks `every` so many milliseconds. Keeps no thread alive; the answer ends it.
 */
export function releaseWhenQuiet(release: () => void, every: number = LOOK_EVERY_MS): () => void {
  let before = performance.eventLoopUtilization();
  let wasBusy = true;
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (utilization > BUSY) wasBusy = true;
    if (!wasBusy || utilization > QUIET) return;
    wasBusy = false;
    release();
    collectGarbage();
    // This work is not what makes a thread busy.
    before = performance.eventLoopUtilization();
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
