import { infiniteQueryOptions, mutationOptions, type QueryKey } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';
import { type CallOptions, get } from './client.ts';
import { problemFrom } from './problem.ts';

/** A change of a thing, and the revision that it began with. */
export type Edited<Change> = Change & { readonly id: string; readonly revision?: number };

/** A list that is read page by page, for `useInfiniteQuery`; `data.pages.flatMap((page) => page.items)` is what is there so far. */
export function paged<T, P extends Page<T> = Page<T>>(
  key: QueryKey,
  path: string,
  query: NonNullable<CallOptions['query']> = {},
) {
  return infiniteQueryOptions({
    queryKey: [...key, query],
    queryFn: ({ pageParam, signal }) => get<P>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/**
 * A change, for `useMutation`. When it has succeeded, everything whose key begins with one of `touches` is asked for
 * again, and only then is the change over: a caller that waits for it sees the new state. When
 * another session was first, everything is.
 */
export function change<Input, Answer>(request: (input: Input) => Promise<Answer>, ...touches: readonly QueryKey[]) {
  return mutationOptions<Answer, Error, Input>({
    mutationFn: (input) => request(input),
    onSuccess: async (_answer, _input, _before, { client }) => {
      await Promise.all(touches.map((queryKey) => client.invalidateQueries({ queryKey })));
    },
    onError: async (error, _input, _before, { client }) => {
      if (problemFrom(error).code === 'changed_meanwhile') await client.invalidateQueries();
    },
  });
}
