/** Reads a map from one column: JSON of keys and values in turn. */
export function readNumberMap<V>(json: string): Map<number, V> {
  const flat = JSON.parse(json) as readonly (number | V)[];
  const map = new Map<number, V>();
  for (let i = 0; i + 1 < flat.length; i += 2) map.set(flat[i] as number, flat[i + 1] as V);
  return map;
}

export function writeNumberMap<V>(map: ReadonlyMap<number, V>): string {
  return JSON.stringify([...map].flat());
}
