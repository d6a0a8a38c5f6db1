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

/** Levels of objects and arrays that a call may have (decisions 8.5); what the admin API takes may have no more. */
export const MAX_LEVELS = 128;

/** Whether objects and arrays lie in each other on more than `levels` levels; the value itself is the first. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isDeeperThan(levels - 1, inner));
  for (const key in value) if (isDeeperThan(levels - 1, (value as JsonObject)[key])) return true;
  return false;
}
