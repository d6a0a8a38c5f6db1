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
  component: lazyPage(() => import('./pages/sign-in/sign-in-page.tsx'), 'SignInPage'),
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
  return function page<
    Parent extends AnyRoute,
    const Path extends string,
    Module extends Record<string, unknown>,
    Name extends keyof Module,
    const Text extends string = never,
  >(parent: Parent, path: Path, load: () => Promise<Module>, name: Name, texts: readonly Text[] = []) {
    const validateSearch = (search: Record<string, unknown>) => textsOf(search, texts);
    const component = lazyPage(load, name);
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
    /** `step`: the step that is shown. `from`: `first-run` if the wizard's end leads back there. */
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
      personalPage(
        destination,
        '/deliveries',
        () => import('./pages/destinations/deliveries-tab.tsx'),
        'DeliveriesTab',
        ['state', 'event', 'userId', ...RANGE],
      ),
      /** The first values of the form that sends messages again. */
      personalPage(destination, '/failed', () => import('./pages/destinations/failed-tab.tsx'), 'FailedTab', [
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
      /** `text`: the beginning of an id or a name. */
      personalPage(audience, '/members', audiencePages, 'Members', ['text']),
      /** `person`: any id of the person in question. */
      personalPage(audience, '/why', () => import('./pages/audiences/why-tab.tsx'), 'AudienceWhyTab', ['person']),
      personalPage(audience, '/sent', audiencePages, 'Sent'),
    ]),
    page(shell, '/traits', traitPages, 'List'),
    page(shell, '/traits/new', traitEditor, 'New'),
    page(shell, '/traits/$id/edit', traitEditor, 'Edit'),
    trait.addChildren([
      page(trait, '/', traitPages, 'Overview'),
      /** `text`: the beginning of an id or a name. */
      personalPage(trait, '/values', traitPages, 'Members', ['text']),
      personalPage(trait, '/sent', traitPages, 'Sent'),
    ]),
    personalPage(shell, '/messages', () => import('./pages/messages/messages-page.tsx'), 'MessagesPage', [
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
    personalPage(shell, '/messages/$messageId', () => import('./pages/messages/message-page.tsx'), 'MessagePage', [
      'position',
      'source',
      'user',
    ]),
    personalPage(shell, '/live', () => import('./pages/live/live-page.tsx'), 'LivePage', [
      'sourceId',
      'type',
      'event',
      'userId',
      'text',
    ]),
    /** `text`: the beginning of an id or a name, or a trait with its value. */
    personalPage(shell, '/people', () => import('./pages/people/people-page.tsx'), 'PeoplePage', ['text']),
    /** `why`: id of the audience that the page explains. */
    personalPage(shell, '/people/$personId', () => import('./pages/people/person-page.tsx'), 'PersonPage', ['why']),
    personalPage(shell, '/deletions', () => import('./pages/deletions/deletions-page.tsx'), 'DeletionsPage'),
    personalPage(shell, '/deletions/new', () => import('./pages/deletions/new-deletion-page.tsx'), 'NewDeletionPage'),
    /** `text`: the beginning of the user ids. */
    personalPage(
      shell,
      '/deletions/suppressed',
      () => import('./pages/deletions/suppressed-page.tsx'),
      'SuppressedPage',
      ['text'],
    ),
    /** `show`: `failed` shows only users whose delete message failed. */
    personalPage(
      shell,
      '/deletions/$regulationId',
      () => import('./pages/deletions/deletion-page.tsx'),
      'DeletionPage',
      ['show'],
    ),
    /** `operation`: id of the open operation. */
    page(shell, '/api-docs', () => import('./pages/api-docs/api-docs-page.tsx'), 'ApiDocsPage', ['operation']),
    page(shell, '/glossary', () => import('./glossary/glossary-page.tsx'), 'GlossaryPage'),
    page(shell, '/verify', () => import('./pages/verify/verify-page.tsx'), 'VerifyPage'),
    settings.addChildren([
      page(settings, '/', () => import('./pages/settings/general-page.tsx'), 'GeneralPage'),
      personalPage(settings, '/alerts', () => import('./pages/settings/alerts-page.tsx'), 'AlertsPage'),
      personalPage(settings, '/people', () => import('./pages/settings/people-page.tsx'), 'PeoplePage'),
      personalPage(settings, '/tokens', () => import('./pages/settings/tokens-page.tsx'), 'TokensPage'),
      page(settings, '/account', () => import('./pages/settings/account-page.tsx'), 'AccountPage'),
      personalPage(settings, '/audit', () => import('./pages/settings/audit-page.tsx'), 'AuditPage', [
        'actor',
        'action',
        ...RANGE,
      ]),
      personalPage(settings, '/file', () => import('./pages/settings/file-page.tsx'), 'FilePage'),
    ]),
    notFound,
  ]),
]);

/** Whether a value is a path of this service. Any other address would lead people away after the sign-in. */
function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith('/') && URL.parse(value, origin)?.origin === origin;
}
