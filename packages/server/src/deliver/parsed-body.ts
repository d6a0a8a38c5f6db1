import { BoundedMap } from '../core/bounded-map.ts';
import { isObject, type JsonObject, readJson } from '../core/json.ts';

/** The destinations of a source ask for the same bodies at almost the same time. At most so many are held parsed. */
const MOST_PARSED = 256;
const parsed = new BoundedMap<Uint8Array, JsonObject>(MOST_PARSED);

/** The call in a delivered body, parsed once for all who ask. What was removed is an empty one. Not to be changed. */
export function callIn(body: Uint8Array): JsonObject {
  const known = parsed.get(body);
  if (known !== undefined) return known;
  const value = readJson(new TextDecoder().decode(body));
  const call = isObject(value) ? value : {};
  parsed.set(body, call);
  return call;
}
