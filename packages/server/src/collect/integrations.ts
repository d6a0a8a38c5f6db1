import type { JsonObject } from '../core/json.ts';

/** A call's wishes about its destinations (contract 8.6). */
export interface Integrations {
  /** JSON of the merged object, values as given: the delivered message's `integrations`. */
  readonly delivered: string;
  /** JSON of the same names with booleans, for routing; null when there is none. */
  readonly routing: string | null;
}

/**
 * Merges integrations objects key by key; of two layers the later one wins. `all` means `All`. Every value counts as true except
 * `false` (or the text `"false"`, because a query string has only texts); null counts as absent.
 */
export function mergeIntegrations(layers: readonly (JsonObject | null)[]): Integrations | null {
  const given = layers.filter((layer) => layer !== null);
  if (given.length === 0) return null;
  const values = new Map<string, unknown>();
  for (const layer of given) {
    for (const [key, value] of Object.entries(layer)) {
      if (key === 'all' && Object.hasOwn(layer, 'All')) continue;
      values.set(key === 'all' ? 'All' : key, value);
    }
  }
  const chosen = [...values].filter(([, value]) => value !== null).map(([key, value]) => [key, isOn(value)] as const);
  return {
    // Object.fromEntries defines its keys, so `__proto__` stays data.
    delivered: JSON.stringify(Object.fromEntries(values)),
    routing: chosen.length === 0 ? null : JSON.stringify(Object.fromEntries(chosen)),
  };
}

function isOn(value: unknown): boolean {
  return value !== false && value !== 'false';
}
