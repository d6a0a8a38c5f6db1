import { type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api/problem.ts';

/**
 * What is known of the service. `signedOut` is told when the answer to a question says that there is no session, or that it has ended; anything
 * else that fails is shown where it was asked for.
 */
export function createQueryClient(signedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiProblem && error.status === 401) signedOut();
  };
  return new QueryClient({
    queryCache: keepErrors(new QueryCache({ onError })),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A refusal stays one; only what did not answer is worth a second and a third try.
        retry: (failures, error) => failures < 2 && error instanceof ApiProblem && isPassing(error),
        // The service may run on this machine without any network at all.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/**
 * What has failed has failed until it succeeds: the library forgets the error of a query without data when it asks again, and a page
 * would show that it waits, again and again.
 */
function keepErrors(cache: QueryCache): QueryCache {
  const errors = new WeakMap<Query, Error>();
  cache.subscribe((event) => {
    if (event.type !== 'updated') return;
    const { query, action } = event;
    if (action.type === 'error') errors.set(query, action.error);
    const error = errors.get(query);
    if (action.type === 'fetch' && error && query.state.status === 'pending')
      query.setState({ status: 'error', error });
  });
  return cache;
}

function isPassing({ status }: ApiProblem): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
