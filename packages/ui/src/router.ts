import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { isText } from './format/shortened.ts';
import { routeTree } from './routes.tsx';
import { RouteError } from './shell/route-error.tsx';

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultPreload: 'intent',
    // What is preloaded is code: data is asked for by the pages, and kept by the query client.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: RouteError,
    // Every value of a query is a text: a user id of digits stays the id it is.
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    // What is empty is left out, so that a filter is taken back by an empty text.
    stringifySearch: (search) => {
      const texts = Object.entries(search).filter((named): named is [string, string] => isText(named[1]));
      return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
    },
    scrollRestoration: true,
  });
}

/**
 * From a page that asks for a session to the sign-in, which leads back to it. The page goes first and what was known after
 * it, so that nothing that is still shown misses its data.
 */
export async function leaveForSignIn(router: ReturnType<typeof createAppRouter>): Promise<void> {
  const { location, matches } = router.state;
  // Several calls of a page are refused at once: the first leaves, and while it does the page is still matched.
  if (location.pathname === '/sign-in' || !matches.some(({ routeId }) => routeId === '/shell')) return;
  await router.navigate({ to: '/sign-in', search: { next: location.href } });
  router.options.context.queryClient.clear();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }

  interface HistoryState {
    /** A request to be checked by the signature verifier. Never a secret: what is in a history stays there. */
    signatureCheck?: { readonly body: string; readonly signature: string };
    /** User ids that a new deletion begins with. */
    deletionOf?: readonly string[];
  }
}
