/**
 * The call that a pixel's query string carries, as the JSON body it would have been: `data` holds it in base64 (either
 * alphabet), or each parameter is a field of it and dots lead inwards (`userId=1&properties.plan=pro`), its value a
 * text. `writeKey` may stand beside `data` or in it (contract 8.1, 8.2).
 */
export function readPixel(search: string): Pixel {
  const query = new URLSearchParams(search);
  const data = query.get('data');
  const writeKey = query.get('writeKey') || null;
  // A query string's plus is a space; base64 has no spaces, so they were pluses.
  if (data !== null) return { writeKey, body: Buffer.from(data.replaceAll(' ', '+'), 'base64') };
  const call: Tree = new Map();
  for (const [key, value] of query) setAt(call, pathOf(key), value);
  return { writeKey, body: Buffer.from(JSON.stringify(toObject(call)), 'utf8') };
}

export interface Pixel {
  readonly writeKey: string | null;
  readonly body: Uint8Array;
}

/** A transparent GIF of one pixel. */
export const GIF: Buffer = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

type Tree = Map<string, string | Tree>;

/** More levels than this are no call that anybody means: the key stays whole. */
const MAX_DEPTH = 32;

function pathOf(key: string): readonly string[] {
  const path = key.split('.');
  return path.length > MAX_DEPTH ? [key] : path;
}

function setAt(tree: Tree, path: readonly string[], value: string): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    tree.set(key, value);
    return;
  }
  const inner = tree.get(key);
  const branch = inner instanceof Map ? inner : new Map();
  tree.set(key, branch);
  setAt(branch, rest, value);
}

/** Object.fromEntries defines its keys, so `__proto__` stays data. */
function toObject(tree: Tree): object {
  return Object.fromEntries([...tree].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]));
}
