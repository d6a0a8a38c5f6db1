/** An object as JSON.parse makes it: every key is its own, `__proto__` included. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null when not given (absent and null are the same), undefined when given and no object. */
export function objectOrNull(value: unknown): JsonObject | null | undefined {
  if (value === undefined || value === null) return null;
  return isObject(value) ? value : undefined;
}
