import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { PACKAGE, ROOT } from '../../packages/client/test/built-package.ts';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { loaded, type Message, openShop, script, stockSnippet } from './analytics-site.ts';

const browser = openBrowser();
const service = sharedService();

const UMD = join(ROOT, 'node_modules/@segment/analytics-next/dist/umd');

/** What arrives another way, theirs → ours. Every other field is the same. */
const ALIAS = ['User ID: "42" → "u9"'];
const RELATIVE = ['context', 'properties'].map(
  (of) => `${of === 'context' ? 'context.page' : of}.url: "/shoes?id=7" → "SITE/shoes?id=7"`,
);

/** The same for readers, in packages/client/README.md. */
const ROWS = [
  '| `alias(to, from)` of a known user | says the known id instead of `to` | says `to` |',
  '| a canonical link without a host | is the `url` as it is written | is resolved |',
];

/** Each call names itself in its context; `at` makes the options that do. */
const QUEUED = `
  analytics.setAnonymousId('first-visitor');
  analytics.page('Queued', {}, at('queued page'));
  analytics.track('Queued', { a: 1 }, at('queued track'));
`;

const CALLS = [
  `page()`,
  `page('Callback', () => {})`,
  `track('Callback', () => {})`,
  `track('Callback with properties', { a: 1 }, () => {})`,
  `identify('u1', { plan: 'pro', nested: { a: [1, null] } }, at('identify'))`,
  `identify({ logins: 5 }, at('identify: traits'))`,
  `identify(null, { plan: 'team' }, at('identify: null'))`,
  `track('Plain', undefined, at('track: no properties'))`,
  `track('All', { total: 27.5, items: [{ id: 1 }], none: null, 'größe': '😀' }, at('track: all', {
    integrations: { Webhooks: true, Other: false }, ip: '192.0.2.7', traits: { a: 1 } }))`,
  `track('Own page', {}, { context: { step: 'track: own context', page: { path: '/own', a: 1 }, locale: 'de', campaign: { name: 'own' } } })`,
  `track('Consent', {}, { context: { step: 'consent', consent: { categoryPreferences: { ads: false } } } })`,
  `track({ event: 'Object', properties: { a: 1 } }, at('track: object'))`,
  `page({ own: 1, title: 'Own title', path: '/own' }, at('page: properties'))`,
  `page('Named', { a: 1 }, at('page: name'))`,
  `page('Docs', 'Start', { a: 1, name: 'Other' }, at('page: category'))`,
  `page('Docs', 'Bare', null, at('page: no properties'))`,
  `page(null, 'Second', { search: '?utm_source=own' }, at('page: null'))`,
  `screen('Docs', 'Main', { tab: 2 }, at('screen'))`,
  `group('g1', { seats: 5 }, at('group'))`,
  `group({ more: 1 }, at('group: traits'))`,
  `group('g2', { other: 1 }, at('group: another'))`,
  `identify(42, { city: 'Ulm' }, at('identify: another user'))`,
  `track('Other user', {}, at('track: another user'))`,
  `alias('u9', 'u8', at('alias'))`,
  `reset()`,
  `track('Reset', {}, at('track: after reset'))`,
  `identify({ known: true }, at('identify: nobody'))`,
  `alias('u7', 'u6', at('alias: nobody'))`,
  `alias('u5', at('alias: no former id'))`,
  `setAnonymousId('second-visitor')`,
  `track('Second', {}, at('track: second visitor'))`,
  `track('Third', {}, at('track: third visitor', { anonymousId: 'third-visitor', userId: 'by-hand' }))`,
  `track('Fourth', {}, at('track: fourth'))`,
];

const CAMPAIGN = '?utm_source=news&utm_campaign=fall+sale&utm_content=%C3%A9&id=7#top';

test.each([
  [`/shoes/red${CAMPAIGN}`, {}, '<link rel="canonical" href="https://shop.example/shoes">', ALIAS],
  [`/shoes/red${CAMPAIGN}`, { integrations: { Other: false, More: { a: 1 } } }, '', ALIAS],
  ['/?id=7', {}, '<link rel="canonical" href="https://shop.example/?page=1">', ALIAS],
  ['/shoes/red?id=7', {}, '<link rel="canonical" href="/shoes">', [...ALIAS, ...RELATIVE]],
  ['/', { initialPageview: true }, '', ALIAS],
])(
  'what arrives from %s with %j is what analytics-next sends, but for the differences listed',
  async (path, load, head, expected) => {
    const theirs = await visit(path, load, head, bringAnalyticsNext);
    const ours = await visit(path, load, head, async () => {});
    expect([...ours.keys()].toSorted()).toEqual([...theirs.keys()].toSorted());
    const differences = [...theirs].flatMap(([step, their]) => {
      const our = ours.get(step);
      return [...new Set([...their.keys(), ...(our?.keys() ?? [])])]
        .filter((field) => their.get(field) !== our?.get(field))
        .map((field) => `${field}: ${their.get(field)} → ${our?.get(field)}`);
    });
    expect([...new Set(differences)].toSorted()).toEqual(expected);
  },
);

test('the differences are told to who changes over', () => {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  for (const row of ROWS) expect(readme).toContain(row);
});

/** Puts Segment's library in the place of ours, from the package; what it asks at start comes from the service. */
async function bringAnalyticsNext(page: Page): Promise<void> {
  const serve = (pattern: string, nameOf: (url: URL) => string): Promise<unknown> =>
    page.route(pattern, (route) => route.fulfill({ path: join(UMD, nameOf(new URL(route.request().url()))) }));
  await serve('**/analytics.js/v1/**', () => 'standalone.js');
  await serve('**/analytics-next/bundles/*', ({ pathname }) => basename(pathname));
}

/** Makes the calls on a page; answers the fields of each message by the name of its call. */
async function visit(
  path: string,
  load: object,
  head: string,
  prepare: (page: Page) => Promise<void>,
): Promise<Map<string, Map<string, string>>> {
  const at = `window.at = (step, more) => ({ ...more, context: { step } });`;
  const shop = await openShop(service, {
    head(_, { writeKey }) {
      const snippet = stockSnippet(service.url, writeKey, { load, page: false, useHostForBundles: true });
      return head + script(at + snippet + QUEUED);
    },
  });
  const page = await browser.newPage();
  await prepare(page);
  await shop.visit(page, path);
  await loaded(page);
  await page.evaluate(`(async () => { ${CALLS.map((call) => `await analytics.${call};`).join('\n')} })()`);
  // Two of the calls send nothing, and two were queued before.
  const messages = await shop.messages(CALLS.length + ('initialPageview' in load ? 1 : 0));
  return new Map(messages.map((message) => [stepOf(message), fields(message, shop.site.url())]));
}

function stepOf({ context, type, event, name }: Message): string {
  return (context as { readonly step?: string }).step ?? `${type} ${event ?? name ?? ''}`;
}

/** Made anew for each message, or the library's own name. */
const OF_ITSELF = /^(messageId|timestamp|sentAt|receivedAt|originalTimestamp|context\.library\.\w+|context\.step)$/;

/** The values of a message as JSON, by their paths; what only this visit has in it, by a name. */
function fields(message: Message, site: string): Map<string, string> {
  const found: [string, string][] = [];
  const walk = (path: string, value: unknown): void => {
    const members = Object.entries(Object(value) as object);
    if (typeof value === 'object' && members.length > 0) {
      for (const [key, member] of members) walk(path === '' ? key : `${path}.${key}`, member);
    } else if (!OF_ITSELF.test(path)) {
      found.push([path, JSON.stringify(value).replaceAll(site, 'SITE/').replace(UUID, 'a UUID')]);
    }
  };
  walk('', message);
  return new Map(found);
}

const UUID = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/;
