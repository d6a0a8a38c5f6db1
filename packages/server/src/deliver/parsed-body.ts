import { memo } from '../core/bounded-map.ts';
import { isObject, type JsonObject, readJson } from '../core/json.ts';

/** Several destinations of a source parse the same bodies at almost the same time. This many are kept parsed. */
const MOST_PARSED = 256;

/** The call in a delivered body, parsed once for all destinations. A removed body is an empty call. Must not be changed. */
export const callIn: (body: Uint8Array) => JsonObject = memo(MOST_PARSED, (body) => {
  const value = readJson(new TextDecoder().decode(body));
  return isObject(value) ? value : {};
});
