/** What a suite that also runs in a browser expects, without a test library. */

export function equal(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Error(`${what}: expected ${should}, not ${is}`);
}

export function holds(condition: boolean, what: string): void {
  if (!condition) throw new Error(`it does not hold: ${what}`);
}

/** The call throws an error with this code, whose message has these words. */
export function throws(run: () => unknown, code: string, words = ''): void {
  try {
    run();
  } catch (error) {
    says(error, code, words);
    return;
  }
  throw new Error(`nothing was thrown; expected ${code} ${words}`);
}

export async function rejects(promise: Promise<unknown>, code: string): Promise<void> {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  says(error, code, '');
}

function says(error: unknown, code: string, words: string): void {
  const { code: is, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
  if (is !== code || !String(message).includes(words)) {
    throw new Error(`expected ${code} with "${words}", not ${String(is)}: ${String(message)}`);
  }
}
