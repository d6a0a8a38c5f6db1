/** An object as JSON.parse makes it: every key is its own property, `__proto__` too. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null when the value is absent or null, undefined when it is no object. */
export function objectOrNull(value: unknown): JsonObject | null | undefined {
  if (value === undefined || value === null) return null;
  return isObject(value) ? value : undefined;
}

/**
 * The same value, with each text in it replaced by what `change` answers for it. A path is the names and indexes that lead to the
 * text, joined by dots.
 */
export function withTexts<T>(value: T, change: (text: string, path: string) => string, path = ''): T {
  if (typeof value === 'string') return change(value, path) as T;
  if (typeof value !== 'object' || value === null) return value;
  const inner = ([name, each]: [string, unknown]): [string, unknown] => [
    name,
    withTexts(each, change, path === '' ? name : `${path}.${name}`),
  ];
  const entries = Object.entries(value).map(inner);
  return (Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as T;
}

/** Levels of objects and arrays that a call may have (contract 8.5); what the admin API takes may have no more. */
export const MAX_LEVELS = 128;

/** Elements, and fields of objects, that a value may have. */
export interface JsonBounds {
  readonly levels: number;
  readonly values: number;
}

/**
 * Which bound a value exceeds, if any: how deep its objects and arrays are nested (the value itself is level one), or how many
 * values they hold together. Stops as soon as that is known.
 */
export function exceeded(value: unknown, { levels, values }: JsonBounds): 'levels' | 'values' | null {
  let left = values;
  const walk = (inner: unknown, levelsLeft: number): 'levels' | 'values' | null => {
    if (typeof inner !== 'object' || inner === null) return null;
    if (levelsLeft === 0) return 'levels';
    if (Array.isArray(inner)) {
      left -= inner.length;
      if (left < 0) return 'values';
      for (const each of inner) {
        const found = walk(each, levelsLeft - 1);
        if (found !== null) return found;
      }
      return null;
    }
    for (const key in inner) {
      if (--left < 0) return 'values';
      const found = walk((inner as JsonObject)[key], levelsLeft - 1);
      if (found !== null) return found;
    }
    return null;
  };
  return walk(value, levels);
}

/** Undefined when the text is no JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller decides what a text that is no JSON means.
    return undefined;
  }
}
