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
    // Only code is preloaded. Pages request their data themselves, and the query client caches it.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: RouteError,
    // Every value in the address is a text, so a user id of digits stays unchanged.
    parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
    // Empty values are left out, so an empty text removes a filter.
    stringifySearch: (search) => {
      const texts = Object.entries(search).filter((named): named is [string, string] => isText(named[1]));
      return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
    },
    scrollRestoration: true,
  });
}

/**
 * Leads from a page that needs a session to the sign-in, which leads back. The page is left first and its data is removed
 * then, so that nothing that is still shown misses its data.
 */
export async function leaveForSignIn(router: ReturnType<typeof createAppRouter>): Promise<void> {
  const { location, matches } = router.state;
  // Several calls of a page are refused at once. The first one leaves the page; while that happens, the page still matches.
  if (location.pathname === '/sign-in' || !matches.some(({ routeId }) => routeId === '/shell')) return;
  await router.navigate({ to: '/sign-in', search: { next: location.href } });
  router.options.context.queryClient.clear();
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }

  interface StaticDataRouteOption {
    /** Whether the page has data about persons, or about the people who work here, which an observer may not see. */
    readonly isPersonal?: true;
  }

  interface HistoryState {
    /** A request for the signature verifier. Never contains a secret: the browser's history keeps it. */
    signatureCheck?: { readonly body: string; readonly signature: string };
    /** The user ids that a new deletion starts with. */
    deletionOf?: readonly string[];
  }
}
