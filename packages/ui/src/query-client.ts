import { notifyManager, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api/problem.ts';
import { OF_A_PROXY } from './api/reach.ts';

// The page shows that a call is on its way before it takes another click. The library waits for a timer, and a fast second
// click would find the button that it pressed.
notifyManager.setScheduler(queueMicrotask);

/**
 * The cache of the service's answers. Calls `signedOut` when a query fails because there is no session, or because it has
 * ended. Any other error is shown by the component that asked.
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
        // A refusal is final. Only a request that did not reach the service is sent a second and a third time.
        retry: (failures, error) => failures < 2 && error instanceof ApiProblem && isPassing(error),
        // The service may run on this machine, without any network.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  });
}

/**
 * Keeps a query's error until it succeeds. The library clears the error of a query without data when it asks again, and
 * the page would switch to its loading state each time.
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
  return status === 0 || OF_A_PROXY.includes(status);
}
