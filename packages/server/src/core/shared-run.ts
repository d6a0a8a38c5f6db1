/**
 * Runs `run` once for all who ask before it begins: those who ask during a run share the next one. So an answer is never older
 * than its question. `inTurn` runs it after what is under way.
 */
export function sharedRun<T>(inTurn: (run: () => Promise<T>) => Promise<T>, run: () => Promise<T>): () => Promise<T> {
  let next: Promise<T> | null = null;
  return () => {
    next ??= inTurn(() => {
      next = null;
      return run();
    });
    return next;
  };
}
