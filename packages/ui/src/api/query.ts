import { infiniteQueryOptions, mutationOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import type { Page } from '../../../server/src/admin/contract.ts';
import { call, get, type Query, withQuery } from './client.ts';
import { problemFrom } from './problem.ts';
import { serviceNow } from './service-clock.ts';

/** A change of a thing, with the revision of the thing that was changed. */
export type Edited<Change> = Change & { readonly id: string; readonly revision?: number };

/** Most items in one answer. */
export const LONGEST_PAGE = 500;

/** A GET, for `useQuery`. The key is the path, piece by piece, then the query: invalidating `sources` covers all paths below it. */
export function asked<T>(path: string, query: Query = {}) {
  return queryOptions({ queryKey: keyOf(path, query), queryFn: ({ signal }) => get<T>(path, query, signal) });
}

/** Like `asked`, and kept up to date by the live stream. */
export function watched<T>(path: string, query: Query = {}) {
  return live(asked<T>(path, query));
}

/** Has a query, whose key is that of `asked`, kept up to date by the live stream (live.ts). */
export function live<Options extends { readonly queryKey: QueryKey }>(options: Options) {
  const path = `/api/${options.queryKey.slice(0, -1).join('/')}`;
  return { ...options, meta: { live: withQuery(path, options.queryKey.at(-1) as Query) } };
}

/** All items of a short list. One page usually holds them. */
export function whole<T>(path: string, query: Query = { limit: LONGEST_PAGE }) {
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

/** A page, and when it was read by the service's clock, in milliseconds since the epoch. */
export type ReadPage<P> = P & { readonly readAt: number };

/** A list that is read page by page, for `useInfiniteQuery`. `data.pages.flatMap((page) => page.items)` has the items read so far. */
export function paged<T, P extends Page<T> = Page<T>>(path: string, query: Query = {}) {
  return infiniteQueryOptions({
    queryKey: keyOf(path, query),
    queryFn: async ({ pageParam, signal }): Promise<ReadPage<P>> => {
      return { ...(await get<P>(path, { ...query, cursor: pageParam }, signal)), readAt: serviceNow() };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });
}

/** Marks a list of what the log holds. It may be long, and it is read at leisure: a change leaves it alone unless it says otherwise. */
export function ofLog<Options>(options: Options) {
  return { ...options, meta: { isOfLog: true } };
}

/** The key of a GET. */
export function keyOf(path: string, ...query: readonly Query[]): QueryKey {
  return [...path.replace('/api/', '').split('/'), ...query];
}

/**
 * A request that changes nothing, for `useMutation`. A refusal that tells of a change by another session, of the thing or
 * of the role, has all shown queries sent again.
 */
export function request<Input, Answer>(send: (input: Input) => Promise<Answer>) {
  return mutationOptions<Answer, Error, Input>({
    mutationFn: (input) => send(input),
    onError: async (error, _input, _before, { client }) => {
      const { code } = problemFrom(error);
      if (['changed_meanwhile', 'not_found', 'forbidden'].includes(code)) await client.invalidateQueries();
    },
  });
}

interface Effect<Input> {
  /** The path of what the change removed: queries of it and below it would be answered with 404. */
  readonly removed?: (input: Input) => string | null;
  /** Whether it changes lists of what the log holds; default false. */
  readonly onLog?: boolean;
}

/** Longest wait of a change for the answers of what is shown, milliseconds. */
const SHOWN_MS = 5_000;

/**
 * A change, for `useMutation`. After it succeeds, all shown queries are sent again, lists of the log only where it says so.
 * The change ends only after their answers, so a caller that awaits it sees the new state; a request that hangs holds up no form.
 */
export function change<Input, Answer>(
  send: (input: Input) => Promise<Answer>,
  { removed = () => null, onLog = false }: Effect<Input> = {},
) {
  return mutationOptions<Answer, Error, Input>({
    ...request(send),
    onSuccess: (_answer, input, _before, { client }) => {
      const path = removed(input);
      const gone = path === null ? [] : client.getQueryCache().findAll({ queryKey: keyOf(path) });
      const answers = client.invalidateQueries({
        predicate: (query) => !gone.includes(query) && (onLog || query.meta?.['isOfLog'] !== true),
      });
      return Promise.race([answers, new Promise((resolve) => setTimeout(resolve, SHOWN_MS))]);
    },
  });
}

/** A change of one thing by its id, with the revision that the page read. A DELETE has no body. */
export function edit<Change, Answer>(method: 'PATCH' | 'POST' | 'DELETE', pathOf: (id: string) => string) {
  const isDelete = method === 'DELETE';
  const send = ({ id, revision, ...body }: Edited<Change>): Promise<Answer> =>
    call(method, pathOf(id), { ...(!isDelete && { body }), revision });
  return change(send, { removed: ({ id }) => (isDelete ? pathOf(id) : null) });
}
