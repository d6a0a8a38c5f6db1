/** The value of a JSON text; undefined if it is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides what to do with text that is not JSON.
    return undefined;
  }
}
