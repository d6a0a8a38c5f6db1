import { infiniteQueryOptions, mutationOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';
import { type CallOptions, call, get } from './client.ts';
import { live } from './live.ts';
import { problemFrom } from './problem.ts';

/** A change of a thing, and the revision that it began with. */
export type Edited<Change> = Change & { readonly id: string; readonly revision?: number };

/** Most that one answer holds. */
export const LONGEST_PAGE = 500;

type Query = NonNullable<CallOptions['query']>;

/** What a GET answers, for `useQuery`. Its key is the path, piece by piece, then the query: who touches `sources` touches all below. */
export function asked<T>(path: string, query: Query = {}) {
  return queryOptions({ queryKey: keyOf(path, query), queryFn: ({ signal }) => get<T>(path, query, signal) });
}

/** The same, kept up to date by the stream of answers (live.ts). */
export function watched<T>(path: string, query: Query = {}) {
  return { ...asked<T>(path, query), ...live(path, query) };
}

/** The items of a list of which one page is all there is, or enough. */
export function listed<T>(path: string, query: Query = {}) {
  return queryOptions({
    queryKey: keyOf(path, query),
    queryFn: async ({ signal }) => (await get<Page<T>>(path, query, signal)).items,
  });
}

/** All items of a list, which an installation has a few of: mostly one page holds them. */
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

/** A list that is read page by page, for `useInfiniteQuery`; `data.pages.flatMap((page) => page.items)` is what is there so far. */
export function paged<T, P extends Page<T> = Page<T>>(path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: keyOf(path, query),
    queryFn: ({ pageParam, signal }) => get<P>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** At the end of a key: every query of this very path, and of none below it. */
export const ANY_QUERY = {};

function keyOf(path: string, query: Query): QueryKey {
  return [...path.replace('/api/', '').split('/'), query];
}

/**
 * A change, for `useMutation`. When it has succeeded, everything whose key begins with one of `touches` is asked for
 * again, and only then is the change over: a caller that waits for it sees the new state. When
 * another session was first, changed or deleted it, everything is; and when the role does not allow it, who is signed in: the role
 * may be another one by now.
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

/** The same of one thing, by its id: sent with the revision that it began with. What is deleted needs no body. */
export function edit<Change, Answer>(
  method: 'PATCH' | 'POST' | 'DELETE',
  pathOf: (id: string) => string,
  ...touches: readonly QueryKey[]
) {
  const request = ({ id, revision, ...body }: Edited<Change>): Promise<Answer> =>
    call(method, pathOf(id), { ...(method !== 'DELETE' && { body }), revision });
  return change(request, ...touches);
}
