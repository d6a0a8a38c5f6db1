import { memo } from '../core/bounded-map.ts';
import { isObject, type JsonObject, readJson } from '../core/json.ts';

/** The destinations of a source ask for the same bodies at almost the same time. At most so many are held parsed. */
const MOST_PARSED = 256;

/** The call in a delivered body, parsed once for all who ask. What was removed is an empty one. Not to be changed. */
export const callIn: (body: Uint8Array) => JsonObject = memo(MOST_PARSED, (body) => {
  const value = readJson(new TextDecoder().decode(body));
  return isObject(value) ? value : {};
});
