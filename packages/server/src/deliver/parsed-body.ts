import { memo } from '../core/bounded-map.ts';
import { isObject, type JsonObject, readJson } from '../core/json.ts';

/**
 * Several destinations of a source parse the same bodies at almost the same time. The newest bodies with this many bytes together are
 * kept parsed. Values can take forty times as much memory as their text, and anybody may send such a call with the public key of a page.
 */
const MOST_BYTES = 512 * 1024;
/** In a cluster a body is a part of its batch, and keeps all of it in memory. */
const MOST_BODIES = 256;

/** The call in a delivered body, parsed once for all destinations. A removed body is an empty call. Must not be changed. */
export const callIn: (body: Uint8Array) => JsonObject = memo(MOST_BYTES, parsed, ({ byteLength }) =>
  Math.max(byteLength, MOST_BYTES / MOST_BODIES),
);

function parsed(body: Uint8Array): JsonObject {
  const value = readJson(new TextDecoder().decode(body));
  return isObject(value) ? value : {};
}
