import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { ApiProblem } from './api/problem.ts';
import { sessionApi } from './api/session.ts';
import { statsApi } from './api/stats.ts';
import { shownRange } from './format/range.ts';
import { lazyPage } from './lazy.ts';
import { OverviewPage } from './pages/overview/overview-page.tsx';
import { textsOf } from './search.ts';
import { NotFoundPage } from './shell/not-found-page.tsx';
import { Shell } from './shell/shell.tsx';

/** Every page by its path. A page's code is loaded when it is opened; it finds its parameters by `getRouteApi(path)`. */

const root = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Outlet });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  /** `next`: where to go then. */
  validateSearch: ({ next }: Record<string, unknown>) => (isOwnPath(next) ? { next } : {}),
  component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
});

/** Everything that asks for a session. The page's code and its first data are asked for meanwhile. */
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

/** A page below another; `texts` are what its query may say. */
function page<
  Parent extends AnyRoute,
  const Path extends string,
  Module extends Record<string, unknown>,
  Name extends keyof Module,
  const Text extends string = never,
>(parent: Parent, path: Path, load: () => Promise<Module>, name: Name, texts: readonly Text[] = []) {
  const validateSearch = (search: Record<string, unknown>) => textsOf(search, texts);
  return createRoute({ getParentRoute: () => parent, path, validateSearch, component: lazyPage(load, name) });
}

const RANGE = ['range', 'from', 'to'] as const;
/** Milliseconds. */
const MOMENTS = 100;

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, RANGE),
  loaderDeps: ({ search }) => search,
  // Data that comes in moments is part of the first picture; a page without it is drawn twice.
  loader: ({ context, deps }) =>
    Promise.race([
      context.queryClient.prefetchQuery(statsApi.overview(shownRange(deps))),
      new Promise((resolve) => setTimeout(resolve, MOMENTS)),
    ]),
  component: OverviewPage,
});

const source = page(shell, '/sources/$sourceId', () => import('./pages/sources/source-page.tsx'), 'SourcePage');

const destination = page(
  shell,
  '/destinations/$destinationId',
  () => import('./pages/destinations/destination-page.tsx'),
  'DestinationPage',
);

const audiencePages = async () => (await import('./pages/audiences/pages.tsx')).PAGES;
const audienceEditor = async () => (await import('./pages/audiences/editor.tsx')).EDITOR;

const audience = page(shell, '/audiences/$id', audiencePages, 'One');
const traitPages = async () => (await import('./pages/traits/pages.tsx')).PAGES;
const traitEditor = async () => (await import('./pages/traits/editor.tsx')).EDITOR;

const trait = page(shell, '/traits/$id', traitPages, 'One');
const settings = page(shell, '/settings', () => import('./pages/settings/settings-frame.tsx'), 'SettingsFrame');
const notFound = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage });

export const routeTree = root.addChildren([
  signIn,
  page(root, '/invite', () => import('./pages/invite/invite-page.tsx'), 'InvitePage'),
  shell.addChildren([
    overview,
    page(shell, '/incidents', () => import('./pages/incidents/incidents-page.tsx'), 'IncidentsPage'),
    page(shell, '/incidents/$incidentId', () => import('./pages/incidents/incident-page.tsx'), 'IncidentPage'),
    page(shell, '/catalog', () => import('./pages/catalog/catalog-page.tsx'), 'CatalogPage'),
    /** `step` is the one shown; `from`: `first-run` where its end leads back there. */
    page(shell, '/catalog/webhooks/new', () => import('./pages/catalog/wizard-page.tsx'), 'WizardPage', [
      'step',
      'from',
    ]),
    page(shell, '/sources', () => import('./pages/sources/sources-page.tsx'), 'SourcesPage'),
    source.addChildren([
      page(source, '/', () => import('./pages/sources/overview-tab.tsx'), 'SourceOverviewTab', RANGE),
      page(source, '/connect', () => import('./pages/sources/connect-tab.tsx'), 'SourceConnectTab'),
      page(source, '/import', () => import('./pages/sources/import-tab.tsx'), 'SourceImportTab'),
      page(source, '/settings', () => import('./pages/sources/settings-tab.tsx'), 'SourceSettingsTab'),
    ]),
    page(shell, '/destinations', () => import('./pages/destinations/destinations-page.tsx'), 'DestinationsPage', [
      'text',
    ]),
    destination.addChildren([
      page(destination, '/', () => import('./pages/destinations/overview-tab.tsx'), 'OverviewTab', RANGE),
      page(destination, '/deliveries', () => import('./pages/destinations/deliveries-tab.tsx'), 'DeliveriesTab', [
        'state',
        'event',
        'userId',
        ...RANGE,
      ]),
      /** What the form to send again begins with. */
      page(destination, '/failed', () => import('./pages/destinations/failed-tab.tsx'), 'FailedTab', [
        'event',
        'error',
        ...RANGE,
      ]),
      page(destination, '/test', () => import('./pages/destinations/test-tab.tsx'), 'TestTab'),
      page(destination, '/settings', () => import('./pages/destinations/settings-tab.tsx'), 'SettingsTab'),
    ]),
    page(shell, '/audiences', audiencePages, 'List'),
    page(shell, '/audiences/new', audienceEditor, 'New'),
    page(shell, '/audiences/$id/edit', audienceEditor, 'Edit'),
    audience.addChildren([
      page(audience, '/', audiencePages, 'Overview'),
      /** `text`: what an id or a name of theirs begins with. */
      page(audience, '/members', audiencePages, 'Members', ['text']),
      /** `person`: any id of the one that is asked about. */
      page(audience, '/why', () => import('./pages/audiences/why-tab.tsx'), 'AudienceWhyTab', ['person']),
      page(audience, '/sent', audiencePages, 'Sent'),
    ]),
    page(shell, '/traits', traitPages, 'List'),
    page(shell, '/traits/new', traitEditor, 'New'),
    page(shell, '/traits/$id/edit', traitEditor, 'Edit'),
    trait.addChildren([
      page(trait, '/', traitPages, 'Overview'),
      /** `text`: what an id or a name of theirs begins with. */
      page(trait, '/values', traitPages, 'Members', ['text']),
      page(trait, '/sent', traitPages, 'Sent'),
    ]),
    page(shell, '/messages', () => import('./pages/messages/messages-page.tsx'), 'MessagesPage', [
      'messageId',
      'userId',
      'source',
      'type',
      'event',
      /** `exact`: texts are whole; else they are what something begins with. */
      'match',
      ...RANGE,
    ]),
    /** `position`: which event it is. Where a link has none, `source` and `user`, their ids, narrow which of this messageId it is. */
    page(shell, '/messages/$messageId', () => import('./pages/messages/message-page.tsx'), 'MessagePage', [
      'position',
      'source',
      'user',
    ]),
    page(shell, '/live', () => import('./pages/live/live-page.tsx'), 'LivePage', [
      'sourceId',
      'type',
      'event',
      'userId',
      'text',
    ]),
    /** `text`: what an id or a name of theirs begins with, or a trait with its value. */
    page(shell, '/people', () => import('./pages/people/people-page.tsx'), 'PeoplePage', ['text']),
    /** `why`: id of the audience that the person is asked about. */
    page(shell, '/people/$personId', () => import('./pages/people/person-page.tsx'), 'PersonPage', ['why']),
    page(shell, '/deletions', () => import('./pages/deletions/deletions-page.tsx'), 'DeletionsPage'),
    page(shell, '/deletions/new', () => import('./pages/deletions/new-deletion-page.tsx'), 'NewDeletionPage'),
    /** `text`: what the user ids begin with. */
    page(shell, '/deletions/suppressed', () => import('./pages/deletions/suppressed-page.tsx'), 'SuppressedPage', [
      'text',
    ]),
    /** `show`: `failed` narrows the users to those of whom a delete message failed. */
    page(shell, '/deletions/$regulationId', () => import('./pages/deletions/deletion-page.tsx'), 'DeletionPage', [
      'show',
    ]),
    /** `operation`: id of the one that is open. */
    page(shell, '/api-docs', () => import('./pages/api-docs/api-docs-page.tsx'), 'ApiDocsPage', ['operation']),
    page(shell, '/glossary', () => import('./glossary/glossary-page.tsx'), 'GlossaryPage'),
    page(shell, '/verify', () => import('./pages/verify/verify-page.tsx'), 'VerifyPage'),
    settings.addChildren([
      page(settings, '/', () => import('./pages/settings/general-page.tsx'), 'GeneralPage'),
      page(settings, '/alerts', () => import('./pages/settings/alerts-page.tsx'), 'AlertsPage'),
      page(settings, '/people', () => import('./pages/settings/people-page.tsx'), 'PeoplePage'),
      page(settings, '/tokens', () => import('./pages/settings/tokens-page.tsx'), 'TokensPage'),
      page(settings, '/account', () => import('./pages/settings/account-page.tsx'), 'AccountPage'),
      page(settings, '/audit', () => import('./pages/settings/audit-page.tsx'), 'AuditPage', [
        'actor',
        'action',
        ...RANGE,
      ]),
      page(settings, '/file', () => import('./pages/settings/file-page.tsx'), 'FilePage'),
    ]),
    notFound,
  ]),
]);

/** A path of this service; an address of another would lead people away after they signed in. */
function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value);
}
