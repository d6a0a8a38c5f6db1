import type { QueryClient } from '@tanstack/react-query';
import { type AnyRoute, createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { ApiProblem } from './api/problem.ts';
import { sessionApi } from './api/session.ts';
import { statsApi } from './api/stats.ts';
import { shownRange } from './format/range.ts';
import { lazyPage } from './lazy-page.ts';
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

const invite = page(root, '/invite', () => import('./pages/invite/invite-page.tsx'), 'InvitePage');

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

/** Milliseconds. */
const MOMENTS = 100;

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['range', 'from', 'to']),
  loaderDeps: ({ search }) => search,
  // Data that comes in moments is part of the first picture; a page without it is drawn twice.
  loader: ({ context, deps }) =>
    Promise.race([
      context.queryClient.prefetchQuery(statsApi.overview(shownRange(deps))),
      new Promise((resolve) => setTimeout(resolve, MOMENTS)),
    ]),
  component: OverviewPage,
});

const incidents = page(shell, '/incidents', () => import('./pages/incidents/incidents-page.tsx'), 'IncidentsPage');

const incident = page(
  shell,
  '/incidents/$incidentId',
  () => import('./pages/incidents/incident-page.tsx'),
  'IncidentPage',
);

const catalog = page(shell, '/catalog', () => import('./pages/catalog/catalog-page.tsx'), 'CatalogPage');

/** `step` is the one shown; `from`: `first-run` where its end leads back there. */
const wizard = page(shell, '/catalog/webhooks/new', () => import('./pages/catalog/wizard-page.tsx'), 'WizardPage', [
  'step',
  'from',
]);

const sources = page(shell, '/sources', () => import('./pages/sources/sources-page.tsx'), 'SourcesPage');
const source = page(shell, '/sources/$sourceId', () => import('./pages/sources/source-page.tsx'), 'SourcePage');

const sourceOverview = page(source, '/', () => import('./pages/sources/overview-tab.tsx'), 'SourceOverviewTab', [
  'range',
  'from',
  'to',
]);

const sourceConnect = page(source, '/connect', () => import('./pages/sources/connect-tab.tsx'), 'SourceConnectTab');
const sourceImport = page(source, '/import', () => import('./pages/sources/import-tab.tsx'), 'SourceImportTab');
const sourceSettings = page(source, '/settings', () => import('./pages/sources/settings-tab.tsx'), 'SourceSettingsTab');

const destinations = page(
  shell,
  '/destinations',
  () => import('./pages/destinations/destinations-page.tsx'),
  'DestinationsPage',
  ['text'],
);

const destination = page(
  shell,
  '/destinations/$destinationId',
  () => import('./pages/destinations/destination-page.tsx'),
  'DestinationPage',
);

const destinationOverview = page(
  destination,
  '/',
  () => import('./pages/destinations/overview-tab.tsx'),
  'OverviewTab',
  ['range', 'from', 'to'],
);

const destinationDeliveries = page(
  destination,
  '/deliveries',
  () => import('./pages/destinations/deliveries-tab.tsx'),
  'DeliveriesTab',
  ['state', 'event', 'userId', 'range', 'from', 'to'],
);

/** What the form to send again begins with. */
const destinationFailed = page(
  destination,
  '/failed',
  () => import('./pages/destinations/failed-tab.tsx'),
  'FailedTab',
  ['event', 'error', 'range', 'from', 'to'],
);

const destinationTest = page(destination, '/test', () => import('./pages/destinations/test-tab.tsx'), 'TestTab');

const destinationSettings = page(
  destination,
  '/settings',
  () => import('./pages/destinations/settings-tab.tsx'),
  'SettingsTab',
);

const audiencePages = async () => (await import('./pages/audiences/pages.tsx')).PAGES;
const audienceEditor = async () => (await import('./pages/audiences/editor.tsx')).EDITOR;

const audiences = page(shell, '/audiences', audiencePages, 'List');
const newAudience = page(shell, '/audiences/new', audienceEditor, 'New');
const editAudience = page(shell, '/audiences/$id/edit', audienceEditor, 'Edit');
const audience = page(shell, '/audiences/$id', audiencePages, 'One');
const audienceOverview = page(audience, '/', audiencePages, 'Overview');

/** `text`: what an id or a name of theirs begins with. */
const audienceMembers = page(audience, '/members', audiencePages, 'Members', ['text']);

/** `person`: any id of the one that is asked about. */
const audienceWhy = page(audience, '/why', () => import('./pages/audiences/why-tab.tsx'), 'AudienceWhyTab', ['person']);
const audienceSent = page(audience, '/sent', audiencePages, 'Sent');

const traitPages = async () => (await import('./pages/traits/pages.tsx')).PAGES;
const traitEditor = async () => (await import('./pages/traits/editor.tsx')).EDITOR;

const traits = page(shell, '/traits', traitPages, 'List');
const newTrait = page(shell, '/traits/new', traitEditor, 'New');
const editTrait = page(shell, '/traits/$id/edit', traitEditor, 'Edit');
const trait = page(shell, '/traits/$id', traitPages, 'One');
const traitOverview = page(trait, '/', traitPages, 'Overview');

/** `text`: what an id or a name of theirs begins with. */
const traitValues = page(trait, '/values', traitPages, 'Members', ['text']);
const traitSent = page(trait, '/sent', traitPages, 'Sent');

const messages = page(shell, '/messages', () => import('./pages/messages/messages-page.tsx'), 'MessagesPage', [
  'messageId',
  'userId',
  'source',
  'type',
  'event',
  'range',
  'from',
  'to',
]);

/** `source` and `user`: their ids, since a messageId is unique per source and user. */
const message = page(shell, '/messages/$messageId', () => import('./pages/messages/message-page.tsx'), 'MessagePage', [
  'source',
  'user',
]);

const live = page(shell, '/live', () => import('./pages/live/live-page.tsx'), 'LivePage', [
  'sourceId',
  'type',
  'event',
  'userId',
  'text',
]);

/** `text`: what an id or a name of theirs begins with, or a trait with its value. */
const people = page(shell, '/people', () => import('./pages/people/people-page.tsx'), 'PeoplePage', ['text']);

/** `why`: id of the audience that the person is asked about. */
const person = page(shell, '/people/$personId', () => import('./pages/people/person-page.tsx'), 'PersonPage', ['why']);
const deletions = page(shell, '/deletions', () => import('./pages/deletions/deletions-page.tsx'), 'DeletionsPage');

const newDeletion = page(
  shell,
  '/deletions/new',
  () => import('./pages/deletions/new-deletion-page.tsx'),
  'NewDeletionPage',
);

/** `text`: what the user ids begin with. */
const suppressed = page(
  shell,
  '/deletions/suppressed',
  () => import('./pages/deletions/suppressed-page.tsx'),
  'SuppressedPage',
  ['text'],
);

/** `show`: `failed` narrows the users to those of whom a delete message failed. */
const deletion = page(
  shell,
  '/deletions/$regulationId',
  () => import('./pages/deletions/deletion-page.tsx'),
  'DeletionPage',
  ['show'],
);

/** `operation`: id of the one that is open. */
const apiDocs = page(shell, '/api-docs', () => import('./pages/api-docs/api-docs-page.tsx'), 'ApiDocsPage', [
  'operation',
]);

const glossary = page(shell, '/glossary', () => import('./glossary/glossary-page.tsx'), 'GlossaryPage');
const verify = page(shell, '/verify', () => import('./pages/verify/verify-page.tsx'), 'VerifyPage');
const settings = page(shell, '/settings', () => import('./pages/settings/settings-frame.tsx'), 'SettingsFrame');
const settingsGeneral = page(settings, '/', () => import('./pages/settings/general-page.tsx'), 'GeneralPage');
const settingsAlerts = page(settings, '/alerts', () => import('./pages/settings/alerts-page.tsx'), 'AlertsPage');
const settingsPeople = page(settings, '/people', () => import('./pages/settings/people-page.tsx'), 'PeoplePage');
const settingsTokens = page(settings, '/tokens', () => import('./pages/settings/tokens-page.tsx'), 'TokensPage');
const settingsAccount = page(settings, '/account', () => import('./pages/settings/account-page.tsx'), 'AccountPage');

const settingsAudit = page(settings, '/audit', () => import('./pages/settings/audit-page.tsx'), 'AuditPage', [
  'actor',
  'action',
  'from',
  'to',
]);

const settingsFile = page(settings, '/file', () => import('./pages/settings/file-page.tsx'), 'FilePage');

const notFound = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage });

export const routeTree = root.addChildren([
  signIn,
  invite,
  shell.addChildren([
    overview,
    incidents,
    incident,
    catalog,
    wizard,
    sources,
    source.addChildren([sourceOverview, sourceConnect, sourceImport, sourceSettings]),
    destinations,
    destination.addChildren([
      destinationOverview,
      destinationDeliveries,
      destinationFailed,
      destinationTest,
      destinationSettings,
    ]),
    audiences,
    newAudience,
    editAudience,
    audience.addChildren([audienceOverview, audienceMembers, audienceWhy, audienceSent]),
    traits,
    newTrait,
    editTrait,
    trait.addChildren([traitOverview, traitValues, traitSent]),
    messages,
    message,
    live,
    people,
    person,
    deletions,
    newDeletion,
    suppressed,
    deletion,
    apiDocs,
    glossary,
    verify,
    settings.addChildren([
      settingsGeneral,
      settingsAlerts,
      settingsPeople,
      settingsTokens,
      settingsAccount,
      settingsAudit,
      settingsFile,
    ]),
    notFound,
  ]),
]);

/** A path of this service; an address of another would lead people away after they signed in. */
function isOwnPath(value: unknown): value is string {
  return typeof value === 'string' && /^\/(?![/\\])/.test(value);
}
