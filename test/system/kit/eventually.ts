const PAUSE_MS = 15;
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
  for (;;) {
    const value = await read();
    if (holds(value)) return value;
    if (Date.now() > end) throw new Error(`it never came to hold; last read: ${JSON.stringify(value, null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Resolves when the clock shows this time. Only for promises that are about time itself. */
export function at(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - Date.now())));
}
