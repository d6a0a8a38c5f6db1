import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Page } from './contract.ts';
import { refuse } from './input.ts';
import { DEFAULT_LIMIT, type PageQuery } from './schemas/page.ts';

/** A page of items that are all in memory. Keys are unique, and ascend in the order of the pages. */
export function pageOfAll<T, V>(
  items: Iterable<T>,
  keyOf: (item: T) => string,
  { cursor, limit = DEFAULT_LIMIT }: PageQuery,
  view: (item: T) => V,
): Page<V> {
  const before = cursor === undefined ? '' : openCursor(cursor);
  const found = lowest(items, keyOf, before, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    items: page.map(([, item]) => view(item)),
    next: last !== undefined && found.length > page.length ? sealCursor(last[0]) : null,
  };
}

/** As `pageOfAll`, of those that fit among items that may be millions: all else gets its turn between two parts of them. */
export async function pageOfMany<T, V>(
  items: Iterable<T>,
  fits: (item: T) => boolean,
  keyOf: (item: T) => string,
  query: PageQuery,
  view: (item: T) => V,
): Promise<Page<V>> {
  const { cursor, limit = DEFAULT_LIMIT } = query;
  const before = cursor === undefined ? '' : openCursor(cursor);
  let kept: T[] = [];
  let seen = 0;
  for (const item of items) {
    if (fits(item)) kept.push(item);
    if (++seen % PART !== 0) continue;
    kept = lowest(kept, keyOf, before, limit + 1).map(([, lower]) => lower);
    await setImmediate();
  }
  return pageOfAll(kept, keyOf, query, view);
}

/** More than a page has, and few enough for a turn of the event loop. */
const PART = 5_000;

type Keyed<T> = readonly [key: string, item: T];

/** The `most` items with the lowest keys above `before`, ascending. All other requests would wait while a long list is sorted as a whole. */
function lowest<T>(items: Iterable<T>, keyOf: (item: T) => string, before: string, most: number): Keyed<T>[] {
  const kept: Keyed<T>[] = [];
  let bound: string | undefined;
  const cut = (): void => {
    kept.sort(([a], [b]) => (a < b ? -1 : 1)).splice(most);
  };
  for (const item of items) {
    const key = keyOf(item);
    if ((bound !== undefined && key > bound) || key <= before) continue;
    kept.push([key, item]);
    if (kept.length < 2 * most) continue;
    cut();
    bound = kept.at(-1)?.[0];
  }
  cut();
  return kept;
}

/** Sort key of a text of any length: a cursor must fit into a URL. */
export function textKey(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100).toWellFormed()} ${hash('sha256', text)}`;
}

/** Sort key for a list that begins with the oldest. */
export function oldestFirst({ createdAt, id }: { readonly createdAt: string | number; readonly id: string }): string {
  return `${createdAt} ${id}`;
}

/** Sort key for a list that begins with the newest. */
export function newestFirst({ createdAt, id }: { readonly createdAt: number; readonly id: string }): string {
  return `${String(Number.MAX_SAFE_INTEGER - createdAt).padStart(16, '0')} ${id}`;
}

/** Lists with pages made by a store. Their cursors are whole numbers with dashes between; a cursor of one list does not fit another. */
type StoreList = 'audit' | 'deliveries' | 'events';

/** The page that a query asks for. @throws InvalidInput for a cursor of another list. */
export function askedOf(
  list: StoreList,
  { cursor, limit = DEFAULT_LIMIT }: PageQuery,
): { readonly cursor: string | null; readonly limit: number } {
  const form = new RegExp(`^${list} (\\d{1,16}(?:-\\d{1,16})*)$`);
  const [place = null] = cursor === undefined ? [] : cursorParts(cursor, form);
  return { cursor: place, limit };
}

/** The cursor of such a list's next page; null after the last page. */
export function sealPlace(list: StoreList, next: string | null): string | null {
  return next === null ? null : sealCursor(`${list} ${next}`);
}

/** The cursor of the next page; null after the last page. */
export function sealNext(next: string | number | null): string | null {
  return next === null ? null : sealCursor(String(next));
}

/** Makes a cursor, opaque to callers: base64url of a mark and the key. */
export function sealCursor(key: string): string {
  return Buffer.from(`c1:${key}`, 'utf8').toString('base64url');
}

/** The key in a cursor. @throws InvalidInput for anything that `sealCursor` did not make. */
export function openCursor(cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  return text.startsWith('c1:') && sealCursor(text.slice(3)) === cursor ? text.slice(3) : refuseCursor();
}

/** The groups that a pattern matches in a cursor. @throws InvalidInput for a cursor of another list. */
export function cursorParts(cursor: string, form: RegExp): readonly (string | undefined)[] {
  return (form.exec(openCursor(cursor)) ?? refuseCursor()).slice(1);
}

/** The index in a cursor; 0 without a cursor. @throws InvalidInput for a cursor of another list. */
export function placeIn(cursor: string | undefined): number {
  return cursor === undefined ? 0 : Number(cursorParts(cursor, /^(\d{1,15})$/)[0]);
}

function refuseCursor(): never {
  return refuse('cursor', 'is not one this API gave');
}
