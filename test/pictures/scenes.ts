import type { Page } from 'playwright-core';
import type { Condition, Delivery, Page as PageOf } from '../../packages/server/src/admin/contract.ts';
import type { Cast } from './cast.ts';

/** What a scene is played on: an empty page that is signed in. */
export interface Stage {
  readonly page: Page;
  /** Of the service. */
  readonly url: string;
  readonly cast: Cast;
  /** Of what answers for all destinations. */
  readonly endpoints: string;
}

/** One picture. */
export interface Scene {
  readonly name: string;
  readonly colorScheme: 'light' | 'dark';
  /** CSS pixels; 900. */
  readonly height?: number;
  /** Resolves when the page shows what the picture is of. */
  readonly play: (stage: Stage) => Promise<void>;
}

/** Checks and sign-ins are audited, so what shows the audit log comes before them. */
export const SCENES: readonly Scene[] = [
  { name: 'audit-log', colorScheme: 'light', play: auditLog },
  { name: 'overview', colorScheme: 'light', height: 1200, play: overview },
  { name: 'overview-dark', colorScheme: 'dark', height: 1200, play: overview },
  { name: 'destination', colorScheme: 'light', height: 1200, play: destination },
  { name: 'message', colorScheme: 'light', play: message },
  { name: 'live', colorScheme: 'light', play: live },
  { name: 'wizard', colorScheme: 'light', height: 1200, play: wizard },
  { name: 'audience', colorScheme: 'light', height: 1200, play: audience },
];

async function auditLog({ page, url }: Stage): Promise<void> {
  await page.goto(`${url}/settings/audit`);
  await page.getByRole('table', { name: 'Audit log' }).getByText('Fraud scoring').first().waitFor();
}

async function overview({ page, url }: Stage): Promise<void> {
  await page.goto(url);
  await page.getByText('24 h', { exact: true }).click();
  await page.getByRole('heading', { name: 'Deliveries, last 24 hours' }).waitFor();
  await page.locator('[role=img] canvas').waitFor();
  await page.getByRole('table', { name: 'Destinations' }).getByText('Fraud scoring').waitFor();
  // The mean of the last ten seconds, which were without calls while the service started.
  await page.getByText(/^[1-9].*\/s now$/).waitFor();
}

async function destination({ page, url, cast }: Stage): Promise<void> {
  await page.goto(`${url}/destinations/${idOf(cast, 'Fraud scoring')}?range=24h`);
  await page.getByText('Adds up: nothing is missing').waitFor();
  await page.getByRole('table', { name: 'URLs' }).waitFor();
  await page.locator('[role=img] canvas').nth(1).waitFor();
}

/** One that was delivered at last, after several rounds. */
async function message({ page, url, cast }: Stage): Promise<void> {
  const [from, to] = [9.7, 9.2].map((hoursAgo) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString());
  const query = `destinationId=${idOf(cast, 'Fraud scoring')}&state=processed&from=${from}&to=${to}&limit=500`;
  const answer = await page.context().request.get(`${url}/api/deliveries?${query}`);
  const { items } = (await answer.json()) as PageOf<Delivery>;
  const found = items.find(({ attempts, type }) => attempts.length === 5 && type === 'track');
  if (found === undefined) throw new Error('The history has no message that was delivered at the fifth attempt');
  await page.goto(`${url}/messages/${found.messageId}?source=${found.sourceId}`);
  await page.getByText('Fraud scoring', { exact: true }).click();
  await page.getByRole('img', { name: /^Time line of 5 attempts/ }).waitFor();
}

async function live({ page, url }: Stage): Promise<void> {
  await page.goto(`${url}/live`);
  const rows = page.getByRole('option');
  await rows.nth(17).waitFor();
  await rows.filter({ hasText: 'Product Added' }).first().click();
  await page.getByRole('region', { name: 'The chosen event' }).waitFor();
}

async function wizard({ page, url, endpoints }: Stage): Promise<void> {
  await page.goto(`${url}/catalog/webhooks/new`);
  const next = page.getByRole('button', { name: 'Continue' });
  await page.getByRole('textbox', { name: 'Name' }).fill('Loyalty points');
  await next.click();
  await page.getByRole('checkbox', { name: 'Web shop' }).click();
  await next.click();
  const urls = [`${endpoints}/loyalty/eu`, `${endpoints}/loyalty/us`.replace('http:', 'https:')];
  await page.getByRole('button', { name: 'Add URL' }).click();
  for (const [i, each] of urls.entries()) {
    const name = `URL ${i + 1}`;
    await page.getByRole('textbox', { name, exact: true }).fill(each);
    await page.getByRole('button', { name: `Check ${name}` }).click();
    await page.getByRole('list', { name: `Check of ${name}` }).waitFor();
  }
}

const KEEN: Condition = {
  all: [
    {
      event: { name: 'Order Completed', where: [{ property: 'total', is: { greater: 30 } }] },
      count: { atLeast: 1 },
      during: { lastDays: 7 },
    },
    {
      any: [
        { trait: 'plan', is: { in: ['free', 'basic'] } },
        { groupTrait: 'employees', is: { greater: 20 } },
      ],
    },
    { not: { event: { name: 'Order Refunded' }, during: { lastDays: 90 } } },
  ],
};

async function audience({ page, url }: Stage): Promise<void> {
  await page.goto(`${url}/audiences/new`);
  await page.getByRole('textbox', { name: 'Name' }).fill('Ordered lately, not yet on a paid plan');
  await page.getByText('JSON', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Definition as JSON' }).fill(JSON.stringify(KEEN));
  await page.getByText('Sentences', { exact: true }).click();
  await page.getByText(/% of [\d,]+ persons/).waitFor();
}

function idOf({ destinations }: Cast, name: string): string {
  const found = destinations.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no destination called ${name}`);
  return found.id;
}
