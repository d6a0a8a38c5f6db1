import type { Page } from './contract.ts';
import { refuse } from './input.ts';
import { DEFAULT_LIMIT, type PageQuery } from './schemas/page.ts';

/** A page of items that are all in memory. Their keys are unique and grow with their order. */
export function pageOfAll<T>(items: readonly T[], keyOf: (item: T) => string, query: PageQuery): Page<T> {
  const limit = query.limit ?? DEFAULT_LIMIT;
  const after = query.cursor === undefined ? null : openCursor(query.cursor);
  const sorted = [...items].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  const rest = after === null ? sorted : sorted.filter((item) => keyOf(item) > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next: last !== undefined && rest.length > page.length ? sealCursor(keyOf(last)) : null };
}

/** Opaque to callers: base64url of a mark and the key. */
export function sealCursor(key: string): string {
  return Buffer.from(`c1:${key}`, 'utf8').toString('base64url');
}

/** @throws InvalidInput for anything that `sealCursor` didn't make. */
export function openCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  if (!text.startsWith('c1:') || sealCursor(text.slice(3)) !== cursor) refuse('cursor', 'is not one this API gave');
  return text.slice(3);
}
