import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from './api/problem.ts';

/**
 * What is known of the service. `signedOut` is told when an answer says that there is no session, or that it has ended; anything
 * else that fails is shown where it was asked for.
 */
export function createQueryClient(signedOut: () => void): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiProblem && error.status === 401) signedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
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

function isPassing({ status }: ApiProblem): boolean {
  return status === 0 || status === 502 || status === 503 || status === 504;
}
