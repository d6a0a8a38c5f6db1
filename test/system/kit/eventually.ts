/** Each question costs both processes: the longer the answer takes, the more seldom it is asked for. */
const PAUSE_MS = { first: 15, growth: 1.25, most: 100 };
const TIMEOUT_MS = 20_000;

/**
 * Reads again and again until what is read holds, and answers it. For what the service tells only when asked; what
 * arrives at a receiver is a signal and is waited for there.
 *
 * @throws Error with the last value read, when it never held.
 */
export async function eventually<T>(
  read: () => T | Promise<T>,
  holds: (value: T) => boolean,
  timeout: number = TIMEOUT_MS,
): Promise<T> {
  const end = Date.now() + timeout;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * PAUSE_MS.growth, PAUSE_MS.most)) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`it never came to hold; last read: ${JSON.stringify(value, null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Resolves when the clock shows this time. Only for promises that are about time itself. */
export function at(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
}
