/** What a text says as JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller says what it makes of a text that is no JSON.
    return undefined;
  }
}
