import { expect, test } from 'vitest';
import type { Destination } from '../../packages/server/src/admin/contract.ts';
import { axe, openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

test('a word explains itself where it stands, by keyboard, and leads to its place among all words', async () => {
  const { id } = await service.must<Destination>('POST', '/api/destinations', {
    name: 'CRM',
    type: 'Webhooks',
    settings: { webhooks: [{ url: 'http://127.0.0.1:9/' }] },
  });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${id}`);
  const word = page.getByRole('button', { name: 'waiting' });
  await word.press('Enter');
  const meaning = page.getByRole('dialog', { name: 'waiting' });
  await meaning.getByText('Accepted and stored, and not yet ended').waitFor();
  const link = meaning.getByRole('link', { name: 'Glossary' });
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Glossary');
  expect(await axe(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await meaning.waitFor({ state: 'hidden' });
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('waiting');
  await page.keyboard.press('Enter');
  await link.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Glossary' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#waiting');
  await page.locator('dt[data-chosen]').getByText('waiting', { exact: true }).waitFor();
});

test('the glossary is well made', async () => {
  await expectWellMade(browser, service, '/glossary', {
    name: 'glossary',
    ready: (page) => page.getByText('write key', { exact: true }).waitFor(),
  });
});
