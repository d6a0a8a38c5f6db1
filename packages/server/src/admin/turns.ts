export type InTurn = <T>(job: () => Promise<T>) => Promise<T>;

/** Runs one job at a time, in the order they come: a change that reads, decides and writes sees the one before it. */
export function inTurn(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const done = last.then(job);
    // A job that failed is its caller's to report; the next one must still run.
    last = done.catch(() => undefined);
    return done;
  };
}
