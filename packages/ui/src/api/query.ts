import { infiniteQueryOptions, mutationOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';
import { type CallOptions, call, get } from './client.ts';
import { live } from './live.ts';
import { problemFrom } from './problem.ts';

/** A change of a thing, with the revision of the thing that was changed. */
export type Edited<Change> = Change & { readonly id: string; readonly revision?: number };

/** Most items in one answer. */
export const LONGEST_PAGE = 500;

type Query = NonNullable<CallOptions['query']>;

/** A GET, for `useQuery`. The key is the path, piece by piece, then the query: invalidating `sources` covers all paths below it. */
export function asked<T>(path: string, query: Query = {}) {
  return queryOptions({ queryKey: keyOf(path, query), queryFn: ({ signal }) => get<T>(path, query, signal) });
}

/** Like `asked`, and kept up to date by the live stream (live.ts). */
export function watched<T>(path: string, query: Query = {}) {
  return { ...asked<T>(path, query), ...live(path, query) };
}

/** The items of a list, from its first page only. */
export function listed<T>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: keyOf(path, query),
    queryFn: async ({ signal }) => (await get<Page<T>>(path, query, signal)).items,
  });
}

/** All items of a short list. One page usually holds them. */
export function whole<T>(path: string) {
  const query = { limit: LONGEST_PAGE };
  return queryOptions({
    queryKey: keyOf(path, query),
    queryFn: async ({ signal }) => {
      const all: T[] = [];
      let cursor: string | null = null;
      do {
        const page: Page<T> = await get(path, { ...query, cursor }, signal);
        all.push(...page.items);
        cursor = page.next;
      } while (cursor !== null);
      return all;
    },
  });
}

/** A list that is read page by page, for `useInfiniteQuery`. `data.pages.flatMap((page) => page.items)` has the items read so far. */
export function paged<T, P extends Page<T> = Page<T>>(path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: keyOf(path, query),
    queryFn: ({ pageParam, signal }) => get<P>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** As the last part of a key: matches every query of exactly this path, but no path below it. */
export const ANY_QUERY = {};

function keyOf(path: string, query: Query): QueryKey {
  return [...path.replace('/api/', '').split('/'), query];
}

/**
 * A change, for `useMutation`. After it succeeds, every query whose key begins with one of `touches` is sent again. The
 * change ends only after their answers, so a caller that awaits it sees the new state.
 *
 * If another session changed or deleted the thing first, all queries are sent again. If the role does not allow the
 * change, the session is: its role may have changed.
 */
export function change<Input, Answer>(request: (input: Input) => Promise<Answer>, ...touches: readonly QueryKey[]) {
  return mutationOptions<Answer, Error, Input>({
    mutationFn: (input) => request(input),
    onSuccess: async (_answer, _input, _before, { client }) => {
      await Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: async (error, _input, _before, { client }) => {
      const { code } = problemFrom(error);
      if (code === 'changed_meanwhile' || code === 'not_found') await client.invalidateQueries();
      if (code === 'forbidden') await client.invalidateQueries({ queryKey: ['session'] });
    },
  });
}

/** A change of one thing by its id, with the revision that the page read. A DELETE has no body. */
export function edit<Change, Answer>(
  method: 'PATCH' | 'POST' | 'DELETE',
  pathOf: (id: string) => string,
  ...touches: readonly QueryKey[]
) {
  const request = ({ id, revision, ...body }: Edited<Change>): Promise<Answer> =>
    call(method, pathOf(id), { ...(method !== 'DELETE' && { body }), revision });
  return change(request, ...touches);
}
