import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
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

const invite = createRoute({
  getParentRoute: () => root,
  path: '/invite',
  component: lazyPage(() => import('./pages/invite/invite-page.tsx'), 'InvitePage'),
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

const overview = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['range', 'from', 'to']),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(statsApi.overview(shownRange(deps))),
  component: OverviewPage,
});

const catalog = createRoute({
  getParentRoute: () => shell,
  path: '/catalog',
  component: lazyPage(() => import('./pages/catalog/catalog-page.tsx'), 'CatalogPage'),
});

const wizard = createRoute({
  getParentRoute: () => shell,
  path: '/catalog/webhooks/new',
  /** `step` is the one shown; `from`: `first-run` where its end leads back there. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['step', 'from']),
  component: lazyPage(() => import('./pages/catalog/wizard-page.tsx'), 'WizardPage'),
});

const sources = createRoute({
  getParentRoute: () => shell,
  path: '/sources',
  component: lazyPage(() => import('./pages/sources/sources-page.tsx'), 'SourcesPage'),
});

const source = createRoute({
  getParentRoute: () => shell,
  path: '/sources/$sourceId',
  component: lazyPage(() => import('./pages/sources/source-page.tsx'), 'SourcePage'),
});

const sourceOverview = createRoute({
  getParentRoute: () => source,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['range', 'from', 'to']),
  component: lazyPage(() => import('./pages/sources/overview-tab.tsx'), 'SourceOverviewTab'),
});

const sourceConnect = createRoute({
  getParentRoute: () => source,
  path: '/connect',
  component: lazyPage(() => import('./pages/sources/connect-tab.tsx'), 'SourceConnectTab'),
});

const sourceImport = createRoute({
  getParentRoute: () => source,
  path: '/import',
  component: lazyPage(() => import('./pages/sources/import-tab.tsx'), 'SourceImportTab'),
});

const sourceSettings = createRoute({
  getParentRoute: () => source,
  path: '/settings',
  component: lazyPage(() => import('./pages/sources/settings-tab.tsx'), 'SourceSettingsTab'),
});

const destinations = createRoute({
  getParentRoute: () => shell,
  path: '/destinations',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['text']),
  component: lazyPage(() => import('./pages/destinations/destinations-page.tsx'), 'DestinationsPage'),
});

const destination = createRoute({
  getParentRoute: () => shell,
  path: '/destinations/$destinationId',
  component: lazyPage(() => import('./pages/destinations/destination-page.tsx'), 'DestinationPage'),
});

const destinationOverview = createRoute({
  getParentRoute: () => destination,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['range', 'from', 'to']),
  component: lazyPage(() => import('./pages/destinations/overview-tab.tsx'), 'OverviewTab'),
});

const destinationDeliveries = createRoute({
  getParentRoute: () => destination,
  path: '/deliveries',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['state', 'event', 'userId', 'range', 'from', 'to']),
  component: lazyPage(() => import('./pages/destinations/deliveries-tab.tsx'), 'DeliveriesTab'),
});

const destinationFailed = createRoute({
  getParentRoute: () => destination,
  path: '/failed',
  /** What the form to send again begins with. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['event', 'error', 'range', 'from', 'to']),
  component: lazyPage(() => import('./pages/destinations/failed-tab.tsx'), 'FailedTab'),
});

const destinationTest = createRoute({
  getParentRoute: () => destination,
  path: '/test',
  component: lazyPage(() => import('./pages/destinations/test-tab.tsx'), 'TestTab'),
});

const destinationSettings = createRoute({
  getParentRoute: () => destination,
  path: '/settings',
  component: lazyPage(() => import('./pages/destinations/settings-tab.tsx'), 'SettingsTab'),
});

const audiences = createRoute({
  getParentRoute: () => shell,
  path: '/audiences',
  component: lazyPage(() => import('./pages/audiences/audiences-page.tsx'), 'AudiencesPage'),
});

const newAudience = createRoute({
  getParentRoute: () => shell,
  path: '/audiences/new',
  component: lazyPage(() => import('./pages/audiences/new-audience-page.tsx'), 'NewAudiencePage'),
});

const editAudience = createRoute({
  getParentRoute: () => shell,
  path: '/audiences/$audienceId/edit',
  component: lazyPage(() => import('./pages/audiences/edit-audience-page.tsx'), 'EditAudiencePage'),
});

const audience = createRoute({
  getParentRoute: () => shell,
  path: '/audiences/$audienceId',
  component: lazyPage(() => import('./pages/audiences/audience-page.tsx'), 'AudiencePage'),
});

const audienceOverview = createRoute({
  getParentRoute: () => audience,
  path: '/',
  component: lazyPage(() => import('./pages/audiences/overview-tab.tsx'), 'AudienceOverviewTab'),
});

const audienceMembers = createRoute({
  getParentRoute: () => audience,
  path: '/members',
  /** `text`: what an id or a name of theirs begins with. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['text']),
  component: lazyPage(() => import('./pages/audiences/members-tab.tsx'), 'AudienceMembersTab'),
});

const audienceWhy = createRoute({
  getParentRoute: () => audience,
  path: '/why',
  /** `person`: any id of the one that is asked about. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['person']),
  component: lazyPage(() => import('./pages/audiences/why-tab.tsx'), 'AudienceWhyTab'),
});

const audienceSent = createRoute({
  getParentRoute: () => audience,
  path: '/sent',
  component: lazyPage(() => import('./pages/audiences/sent-tab.tsx'), 'AudienceSentTab'),
});

const traits = createRoute({
  getParentRoute: () => shell,
  path: '/traits',
  component: lazyPage(() => import('./pages/traits/traits-page.tsx'), 'TraitsPage'),
});

const newTrait = createRoute({
  getParentRoute: () => shell,
  path: '/traits/new',
  component: lazyPage(() => import('./pages/traits/new-trait-page.tsx'), 'NewTraitPage'),
});

const editTrait = createRoute({
  getParentRoute: () => shell,
  path: '/traits/$traitId/edit',
  component: lazyPage(() => import('./pages/traits/edit-trait-page.tsx'), 'EditTraitPage'),
});

const trait = createRoute({
  getParentRoute: () => shell,
  path: '/traits/$traitId',
  component: lazyPage(() => import('./pages/traits/trait-page.tsx'), 'TraitPage'),
});

const traitOverview = createRoute({
  getParentRoute: () => trait,
  path: '/',
  component: lazyPage(() => import('./pages/traits/overview-tab.tsx'), 'TraitOverviewTab'),
});

const traitValues = createRoute({
  getParentRoute: () => trait,
  path: '/values',
  /** `text`: what an id or a name of theirs begins with. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['text']),
  component: lazyPage(() => import('./pages/traits/values-tab.tsx'), 'TraitValuesTab'),
});

const traitSent = createRoute({
  getParentRoute: () => trait,
  path: '/sent',
  component: lazyPage(() => import('./pages/traits/sent-tab.tsx'), 'TraitSentTab'),
});

const messages = createRoute({
  getParentRoute: () => shell,
  path: '/messages',
  validateSearch: (search: Record<string, unknown>) =>
    textsOf(search, ['messageId', 'userId', 'source', 'type', 'event', 'range', 'from', 'to']),
  component: lazyPage(() => import('./pages/messages/messages-page.tsx'), 'MessagesPage'),
});

const message = createRoute({
  getParentRoute: () => shell,
  path: '/messages/$messageId',
  /** `source` and `user`: their ids, since a messageId is unique per source and user. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['source', 'user']),
  component: lazyPage(() => import('./pages/messages/message-page.tsx'), 'MessagePage'),
});

const live = createRoute({
  getParentRoute: () => shell,
  path: '/live',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['sourceId', 'type', 'event', 'userId', 'text']),
  component: lazyPage(() => import('./pages/live/live-page.tsx'), 'LivePage'),
});

const people = createRoute({
  getParentRoute: () => shell,
  path: '/people',
  /** `text`: what an id or a name of theirs begins with, or a trait with its value. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['text']),
  component: lazyPage(() => import('./pages/people/people-page.tsx'), 'PeoplePage'),
});

const person = createRoute({
  getParentRoute: () => shell,
  path: '/people/$personId',
  /** `why`: id of the audience that the person is asked about. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['why']),
  component: lazyPage(() => import('./pages/people/person-page.tsx'), 'PersonPage'),
});

const deletions = createRoute({
  getParentRoute: () => shell,
  path: '/deletions',
  component: lazyPage(() => import('./pages/deletions/deletions-page.tsx'), 'DeletionsPage'),
});

const newDeletion = createRoute({
  getParentRoute: () => shell,
  path: '/deletions/new',
  component: lazyPage(() => import('./pages/deletions/new-deletion-page.tsx'), 'NewDeletionPage'),
});

const suppressed = createRoute({
  getParentRoute: () => shell,
  path: '/deletions/suppressed',
  /** `text`: what the user ids begin with. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['text']),
  component: lazyPage(() => import('./pages/deletions/suppressed-page.tsx'), 'SuppressedPage'),
});

const deletion = createRoute({
  getParentRoute: () => shell,
  path: '/deletions/$regulationId',
  /** `show`: `failed` narrows the users to those of whom a delete message failed. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['show']),
  component: lazyPage(() => import('./pages/deletions/deletion-page.tsx'), 'DeletionPage'),
});

const apiDocs = createRoute({
  getParentRoute: () => shell,
  path: '/api-docs',
  /** `operation`: id of the one that is open. */
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['operation']),
  component: lazyPage(() => import('./pages/api-docs/api-docs-page.tsx'), 'ApiDocsPage'),
});

const glossary = createRoute({
  getParentRoute: () => shell,
  path: '/glossary',
  component: lazyPage(() => import('./glossary/glossary-page.tsx'), 'GlossaryPage'),
});

const verify = createRoute({
  getParentRoute: () => shell,
  path: '/verify',
  component: lazyPage(() => import('./pages/verify/verify-page.tsx'), 'VerifyPage'),
});

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyPage(() => import('./pages/settings/settings-frame.tsx'), 'SettingsFrame'),
});

const settingsGeneral = createRoute({
  getParentRoute: () => settings,
  path: '/',
  component: lazyPage(() => import('./pages/settings/general-page.tsx'), 'GeneralPage'),
});

const settingsPeople = createRoute({
  getParentRoute: () => settings,
  path: '/people',
  component: lazyPage(() => import('./pages/settings/people-page.tsx'), 'PeoplePage'),
});

const settingsTokens = createRoute({
  getParentRoute: () => settings,
  path: '/tokens',
  component: lazyPage(() => import('./pages/settings/tokens-page.tsx'), 'TokensPage'),
});

const settingsAccount = createRoute({
  getParentRoute: () => settings,
  path: '/account',
  component: lazyPage(() => import('./pages/settings/account-page.tsx'), 'AccountPage'),
});

const settingsAudit = createRoute({
  getParentRoute: () => settings,
  path: '/audit',
  validateSearch: (search: Record<string, unknown>) => textsOf(search, ['actor', 'action', 'from', 'to']),
  component: lazyPage(() => import('./pages/settings/audit-page.tsx'), 'AuditPage'),
});

const settingsFile = createRoute({
  getParentRoute: () => settings,
  path: '/file',
  component: lazyPage(() => import('./pages/settings/file-page.tsx'), 'FilePage'),
});

const notFound = createRoute({ getParentRoute: () => shell, path: '$', component: NotFoundPage });

export const routeTree = root.addChildren([
  signIn,
  invite,
  shell.addChildren([
    overview,
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
