import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const CARD = 'Which calls, and what of them';

interface World {
  readonly destination: Destination;
  readonly large: string;
  readonly small: string;
}

async function open(wish: object = {}): Promise<World> {
  const receiver = await receive();
  const source = await service.source();
  const destination = await service.destination(source, receiver.url(), wish);
  const call = (total: number) => ({
    event: 'Order Completed',
    properties: { total },
    context: { ip: '203.0.113.7', traits: { email: 'ada@example.com' } },
  });
  const large = await service.accept(source, call(120));
  const small = await service.accept(source, call(9));
  await service.settled(destination, 2);
  return { destination, large, small };
}

const SHAPING = {
  filter: { all: [{ field: 'properties.total', is: { atLeast: 100 } }] },
  redact: [
    { path: 'context.traits.email', do: 'hash' as const },
    { path: 'context.ip', do: 'drop' as const },
  ],
};

test('a filter is made as sentences, fields are redacted, both are tried on the last day, and saved', async () => {
  const { destination } = await open();
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, `/destinations/${destination.id}/settings`);
  const card = page.getByRole('region', { name: CARD });
  await card.getByText('Only those that fit').click();
  const first = card.getByRole('group', { name: 'Condition 1' });
  await first.getByLabel('Field of the call').selectOption('property');
  await first.getByLabel('Name', { exact: true }).fill('total');
  await first.getByLabel('Test').selectOption('is');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('Give a value, or choose “empty text”').waitFor();
  await card.getByRole('button', { name: 'Try it on the last day' }).click();
  await card.getByText('Give a value, or choose “empty text”').waitFor();
  expect(await service.must<Destination>('GET', `/api/destinations/${destination.id}`)).toMatchObject({ filter: null });
  await first.getByLabel('Test').selectOption('is at least');
  expect(await first.getByLabel('Test').innerText()).not.toContain('is within the last');
  await first.getByLabel('Value', { exact: true }).fill('100');
  for (const [place, { path }] of SHAPING.redact.entries()) {
    await card.getByRole('button', { name: 'Add field' }).click();
    await card.getByLabel(`Field ${place + 1}`, { exact: true }).fill(path);
  }
  await card.getByLabel('What becomes of field 1').click();
  await page.getByRole('option', { name: 'hashed' }).click();
  await card.getByRole('button', { name: 'Try it on the last day' }).click();
  await card.getByText('1 of the 2 calls of the last day would go out').waitFor();
  await card.getByText('all.0: properties.total atLeast 100').waitFor();
  await card.getByText('removed: ').first().waitFor();
  await save(page);
  const path = `/api/destinations/${destination.id}`;
  expect(await service.must<Destination>('GET', path)).toMatchObject(SHAPING);

  await first.getByLabel('Name', { exact: true }).fill('other');
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => first.getByLabel('Name', { exact: true }).inputValue()).toBe('total');
  await card.getByLabel('Field 2', { exact: true }).fill('userId');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('Must begin with properties.').waitFor();
  await card.getByLabel('Field 2', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.locator('[aria-invalid=true][aria-label="Field 2"]').waitFor();
  const colourOf = (part: string): Promise<unknown> =>
    page.evaluate(`getComputedStyle(document.querySelector('[aria-label="Field 2"]'), '${part}').color`);
  expect(await colourOf('::placeholder')).not.toBe(await colourOf(''));
  await card.getByRole('button', { name: 'Remove field 2' }).click();
  await card.getByText('All calls').click();
  await save(page);
  expect(await service.must<Destination>('GET', path)).toMatchObject({ filter: null, redact: [SHAPING.redact[0]] });
});

async function save(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save settings' }).click();
  const said = page.getByText('The settings are saved.');
  await said.waitFor();
  await said.waitFor({ state: 'detached' });
}

test('a filter that sentences can not say, and no JSON, are told at the filter', async () => {
  const { destination } = await open(SHAPING);
  const page = await browser.newPage({ mayLog: [/status of 400/] });
  await openSignedIn(page, service, `/destinations/${destination.id}/settings`);
  const card = page.getByRole('region', { name: CARD });
  await card.getByText('JSON', { exact: true }).click();
  const json = card.getByLabel('Definition as JSON');
  expect(JSON.parse(await json.inputValue())).toEqual(SHAPING.filter);
  await json.fill('{"field": "password", "is": {"exists": true}}');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('Must be one of type, event').waitFor();
  await card.getByText('Sentences', { exact: true }).click();
  await card.getByText('Must be one of type, event').waitFor();
  await card.getByText('JSON', { exact: true }).click();
  await json.fill('{');
  await card.getByText('This is no JSON.').waitFor();
  await card.getByText('Sentences', { exact: true }).click();
  await card.getByText('This is no JSON.').waitFor();
  await page.getByRole('button', { name: 'Save settings' }).click();
  await card.getByText('Must be a condition').waitFor();
});

test('a value that was typed is there again after a test that compares with none', async () => {
  const { destination } = await open({ filter: { field: 'properties.coupon', is: { contains: 'SUMMER' } } });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${destination.id}/settings`);
  const only = page.getByRole('group', { name: 'Condition 1' });
  for (const none of ['exists', 'does not exist']) {
    await only.getByLabel('Test').selectOption(none);
    await only.getByLabel('Value', { exact: true }).waitFor({ state: 'detached' });
    await only.getByLabel('Test').selectOption('contains');
    expect(await only.getByLabel('Value', { exact: true }).inputValue()).toBe('SUMMER');
  }
});

test('the pages are well made: the settings with their preview, and the messages that were filtered and changed', async () => {
  const { destination, large, small } = await open({ ...SHAPING, consent: [] });
  const tried = async (page: Page): Promise<void> => {
    const card = page.getByRole('region', { name: CARD });
    await card.getByRole('button', { name: 'Try it on the last day' }).click();
    await card.getByText('would go out').waitFor();
    await card.scrollIntoViewIfNeeded();
  };
  await expectWellMade(browser, service, `/destinations/${destination.id}/settings`, { name: 'shaping', ready: tried });
  await expectWellMade(browser, service, `/messages/${large}`, {
    name: 'message-redacted',
    ready: (page) => page.getByText('Changed before it leaves').waitFor(),
  });
  await expectWellMade(browser, service, `/messages/${small}`, {
    name: 'message-condition',
    ready: (page) => page.getByText('all.0: properties.total atLeast 100').waitFor(),
  });
});
