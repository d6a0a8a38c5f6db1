const offset = Number(process.hrtime.bigint() / 1000n) - performance.now() * 1000;

/** CLOCK_MONOTONIC in whole microseconds: one clock for all processes of the machine. */
export function monotonicMicros(): number {
  return Math.round(offset + performance.now() * 1000);
}
