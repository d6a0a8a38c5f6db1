import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  createRootRouteWithContext,
  createRoute,
  Outlet,
  redirect,
  type StaticDataRouteOption,
} from '@tanstack/react-router';
import { ApiProblem } from './api/problem.ts';
import { sessionApi } from './api/session.ts';
import { statsApi } from './api/stats.ts';
import { shownRange } from './format/range.ts';
import { lazyPage } from './lazy.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { textsOf } from './search.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';

/** Every page by its path. A page's code is loaded when the page is opened. The page reads its parameters with `getRouteApi(path)`. */

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  /** `next`: the path to open after the sign-in. */
  // An absent name would leave the value of the address.
  validateSearch: ({ next }: Record<string, unknown>): { next?: string | undefined } => ({
    next: isOwnPath(next) ? next : undefined,
  }),
  component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx')),
});

/** The parent of all pages that need a session. The page's code and its first data load at the same time. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  component: Shell,
  loader: async ({ context, location }) => {
    try {
      await context.queryClient.ensureQueryData(sessionApi.current());
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
});

function pagesWith(staticData: StaticDataRouteOption) {
  /** A page below another page; `texts` names the parameters of its query. */
  return function page<Parent extends AnyRoute, const Path extends string, const Text extends string = never>(
    parent: Parent,
    path: Path,
    load: () => Promise<object>,
    texts: readonly Text[] = [],
  ) {
    const validateSearch = (search: Record<string, unknown>) => textsOf(search, texts);
    const component = lazyPage(load);
    return createRoute({ getParentRoute: () => parent, path, validateSearch, component, staticData });
  };
}

const page = pagesWith({});
const personalPage = pagesWith({ isPersonal: true });

const RANGE = ['range', 'from', 'to'] as const;
/** Longest time, in milliseconds, that the overview waits for its data before its first render. */
const MOMENTS = 100;

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, RANGE),
  loaderDeps: ({ search }) => search,
  // Data that arrives quickly is in the first render; otherwise the page is rendered twice.
  loader: ({ context, deps }) =>
    Promise.race([
      context.queryClient.prefetchQuery(statsApi.overview(shownRange(deps))),
      new Promise((resolve) => setTimeout(resolve, MOMENTS)),
    ]),
  component: OverviewPage,
});

const source = page(shell, '/sources/$id', () => import('./pages/sources/source-page.tsx'));

const destination = page(shell, '/destinations/$id', () => import('./pages/destinations/destination-page.tsx'));

/** The pages that audiences and computed traits share. */
const definitions = (name: 'List' | 'One' | 'Overview' | 'Members' | 'Sent') => async () => ({
  [name]: (await import('./definitions/definition-pages.tsx'))[name],
});
const editor = (name: 'New' | 'Edit') => async () => ({
  [name]: (await import('./definitions/editor-pages.tsx'))[name],
});
const audience = page(shell, '/audiences/$id', definitions('One'));
const trait = page(shell, '/traits/$id', definitions('One'));
const settings = page(shell, '/settings', () => import('./pages/settings/settings-frame.tsx'));
const notFound = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage });

export const routeTree = root.addChildren([
  signIn,
  page(root, '/invite', () => import('./pages/invite/invite-page.tsx')),
  shell.addChildren([
    overview,
    page(shell, '/incidents', () => import('./pages/incidents/incidents-page.tsx')),
    page(shell, '/incidents/$id', () => import('./pages/incidents/incident-page.tsx')),
    page(shell, '/catalog', () => import('./pages/catalog/catalog-page.tsx')),
    /** `step`: the step that is shown. `from`: `first-run` if the wizard's end leads back there. */
    page(shell, '/catalog/webhooks/new', () => import('./pages/catalog/wizard-page.tsx'), ['step', 'from']),
    page(shell, '/sources', () => import('./pages/sources/sources-page.tsx')),
    source.addChildren([
      page(source, '/', () => import('./pages/sources/overview-tab.tsx'), RANGE),
      page(source, '/connect', () => import('./pages/sources/connect-tab.tsx')),
      page(source, '/import', () => import('./pages/sources/import-tab.tsx')),
      page(source, '/settings', () => import('./pages/sources/settings-tab.tsx')),
    ]),
    page(shell, '/destinations', () => import('./pages/destinations/destinations-page.tsx'), ['text']),
    destination.addChildren([
      page(destination, '/', () => import('./pages/destinations/overview-tab.tsx'), RANGE),
      personalPage(destination, '/deliveries', () => import('./pages/destinations/deliveries-tab.tsx'), [
        'state',
        'event',
        'userId',
        ...RANGE,
      ]),
      /** The values of the form that sends messages again. */
      personalPage(destination, '/failed', () => import('./pages/destinations/failed-tab.tsx'), [
        'state',
        'event',
        'userId',
        'error',
        'perSecond',
        'webhookId',
        ...RANGE,
      ]),
      page(destination, '/test', () => import('./pages/destinations/test-tab.tsx')),
      page(destination, '/settings', () => import('./pages/destinations/settings-tab.tsx')),
    ]),
    page(shell, '/audiences', definitions('List')),
    page(shell, '/audiences/new', editor('New')),
    page(shell, '/audiences/$id/edit', editor('Edit')),
    audience.addChildren([
      page(audience, '/', definitions('Overview')),
      /** `text`: the beginning of an id or a name. */
      personalPage(audience, '/members', definitions('Members'), ['text']),
      /** `person`: any id of the person in question. */
      personalPage(audience, '/why', () => import('./pages/audiences/why-tab.tsx'), ['person']),
      personalPage(audience, '/sent', definitions('Sent')),
    ]),
    page(shell, '/traits', definitions('List')),
    page(shell, '/traits/new', editor('New')),
    page(shell, '/traits/$id/edit', editor('Edit')),
    trait.addChildren([
      page(trait, '/', definitions('Overview')),
      /** `text`: the beginning of an id or a name. */
      personalPage(trait, '/values', definitions('Members'), ['text']),
      personalPage(trait, '/sent', definitions('Sent')),
    ]),
    personalPage(shell, '/messages', () => import('./pages/messages/messages-page.tsx'), [
      'messageId',
      'userId',
      'source',
      'type',
      'event',
      /** `exact`: texts must match whole. Default: their beginning must match. */
      'match',
      ...RANGE,
    ]),
    /** `position`: the position of the event. Without it, the ids `source` and `user` select among messages of this messageId. */
    personalPage(shell, '/messages/$id', () => import('./pages/messages/message-page.tsx'), [
      'position',
      'source',
      'user',
    ]),
    personalPage(shell, '/live', () => import('./pages/live/live-page.tsx'), [
      'sourceId',
      'type',
      'event',
      'userId',
      'text',
    ]),
    /** `text`: the beginning of an id or a name, or a trait with its value. */
    personalPage(shell, '/people', () => import('./pages/people/people-page.tsx'), ['text']),
    /** `why`: id of the audience that the page explains. */
    personalPage(shell, '/people/$id', () => import('./pages/people/person-page.tsx'), ['why']),
    personalPage(shell, '/deletions', () => import('./pages/deletions/deletions-page.tsx')),
    personalPage(shell, '/deletions/new', () => import('./pages/deletions/new-deletion-page.tsx')),
    /** `text`: the beginning of the user ids. */
    personalPage(shell, '/deletions/suppressed', () => import('./pages/deletions/suppressed-page.tsx'), ['text']),
    /** `show`: `failed` shows only users whose delete message failed. */
    personalPage(shell, '/deletions/$id', () => import('./pages/deletions/deletion-page.tsx'), ['show']),
    /** `operation`: id of the open operation. */
    page(shell, '/api-docs', () => import('./pages/api-docs/api-docs-page.tsx'), ['operation']),
    page(shell, '/glossary', () => import('./glossary/glossary-page.tsx')),
    page(shell, '/verify', () => import('./pages/verify/verify-page.tsx')),
    settings.addChildren([
      page(settings, '/', () => import('./pages/settings/general-page.tsx')),
      personalPage(settings, '/alerts', () => import('./pages/settings/alerts-page.tsx')),
      personalPage(settings, '/people', () => import('./pages/settings/people-page.tsx')),
      personalPage(settings, '/tokens', () => import('./pages/settings/tokens-page.tsx')),
      page(settings, '/account', () => import('./pages/settings/account-page.tsx')),
      personalPage(settings, '/audit', () => import('./pages/settings/audit-page.tsx'), ['actor', 'action', ...RANGE]),
      personalPage(settings, '/file', () => import('./pages/settings/file-page.tsx')),
    ]),
    notFound,
  ]),
]);

/** Whether a value is a path of this service. Any other address would lead people away after the sign-in. */
function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && URL.parse(value, origin)?.origin === origin;
}
