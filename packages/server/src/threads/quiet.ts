import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often a thread checks how much it has worked, milliseconds. */
const LOOK_EVERY_MS = 10_000;
/** Shares of the time that a thread worked: a thread above `BUSY` is busy, one below `QUIET` is quiet. */
const BUSY = 0.2;
const QUIET = 0.05;

/**
 * Gives memory back when a busy thread becomes quiet; a thread that has just begun counts as busy. V8 collects garbage when more
 * is allocated, and SQLite keeps pages until it needs their room: without this, the memory of a flood would stay until the next
 * flood. `release` frees what the thread's own objects can do without. The check runs `every` milliseconds, and keeps no thread
 * alive; the answered function ends it.
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
    // The collection itself must not count as work.
    before = performance.eventLoopUtilization();
  }, every);
  timer.unref();
  return () => clearInterval(timer);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
