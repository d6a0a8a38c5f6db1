import { expect, test } from 'vitest';
import type { Audience } from '../../packages/server/src/admin/contract.ts';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

test('in the hour that is repeated when clocks go back, what was not typed over stays the moment that it was', async () => {
  const page = await browser.newPage({ timezoneId: 'America/New_York' });
  // The second 01:30 of the day is an hour after the first.
  await openSignedIn(page, service, '/messages?from=2026-11-01T05:30:20.000Z&to=2026-11-01T06:30:40.000Z');
  const [from, to] = [page.getByLabel('From'), page.getByLabel('To')];
  await expect.poll(() => from.inputValue()).toBe('2026-11-01T01:30');
  expect(await to.inputValue()).toBe('2026-11-01T01:30');
  const show = page.getByRole('button', { name: 'Show', exact: true });
  expect(await show.isEnabled()).toBe(true);
  await from.fill('2026-10-31T20:00');
  await show.click();
  await page.waitForURL((url) => url.searchParams.get('from') === '2026-11-01T00:00:00.000Z');
  expect(new URL(page.url()).searchParams.get('to')).toBe('2026-11-01T06:30:40.000Z');
});

test('where a part of a moment is taken away, nothing is written into the field', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/messages?from=2026-11-01T05:30:20.000Z&to=2026-11-01T06:30:40.000Z');
  const from = page.getByLabel('From');
  await expect.poll(() => from.inputValue()).toBe('2026-11-01T05:30');
  await page.evaluate(`{
    window.written = 0;
    const note = () => (window.written += 1);
    const input = document.querySelector('input[type=datetime-local]');
    new MutationObserver(note).observe(input, { attributes: true, attributeFilter: ['value'] });
  }`);
  await from.focus();
  await from.press('Tab');
  await from.press('Tab');
  await page.keyboard.press('Backspace');
  await page.getByText('Give a date and a time').waitFor();
  // Firefox takes it for the whole moment, and empties the parts that are there.
  expect(await page.evaluate('window.written')).toBe(0);
  await page.keyboard.type('2025');
  await expect.poll(() => from.inputValue()).toBe('2025-11-01T05:30');
});

test('a year of five digits leaves the moment of a definition as it was', async () => {
  const definition = { trait: 'born', is: { before: '2026-05-01T00:00:00.000Z' } };
  const { id } = await service.must<Audience>('POST', '/api/audiences', { name: 'Born before', definition });
  const page = await browser.newPage();
  await openSignedIn(page, service, `/audiences/${id}/edit`);
  const moment = page.getByLabel('Moment');
  await moment.fill('20260-05-01T00:00');
  expect([await moment.inputValue(), await moment.getAttribute('title')]).toEqual([
    '2026-05-01T00:00',
    '2026-05-01T00:00:00.000Z',
  ]);
});

test('a browser whose clock is three seconds behind is told that what has just been looked at is past', async () => {
  await service.destination(await service.source(), 'https://hooks.example.com/', { enabled: false });
  await service.accept(await service.source());
  const page = await browser.newPage();
  await page.addInitScript('{ const now = Date.now; Date.now = () => now() - 3_000; }');
  await openSignedIn(page, service);
  await page.getByText(/^Checked /).waitFor();
  expect(await page.getByText(/^Checked /).innerText()).toMatch(/^Checked (now|\d+ sec\. ago)\s/);
});

test('a browser whose clock is ten minutes behind is told what is past, and not what is to come', async () => {
  const source = await service.source();
  const receiver = await receive(() => 200);
  const destination = await service.destination(source, receiver.url(), { name: 'CRM' });
  const messageId = await service.accept(source, { event: 'Seen' });
  await service.settled(destination, 1);
  const page = await browser.newPage();
  await page.addInitScript('{ const now = Date.now; Date.now = () => now() - 600_000; }');
  await openSignedIn(page, service, `/messages/${messageId}`);
  await page.getByText(/^Delivered (now|\d+ sec\. ago) \(\d{4}-\d\d-\d\d [\d:.]+ UTC\)/).waitFor();
});

test('where the time of an attempt went is told of requests alone: one that was never sent had no connection', async () => {
  const receiver = await receive(({ message }) => (message['messageId'] === 'held' ? 503 : 200));
  const source = await service.source();
  const policy = { retryWindow: '1m' };
  await service.destination(source, receiver.url(), { order: 'user', orderHold: '1s', policy });
  await service.accept(source, { messageId: 'held' });
  await receiver.waitFor(1);
  await service.accept(source, { messageId: 'passes' });
  await service.tracedAs('passes', 'processed');
  const page = await browser.newPage();
  await openSignedIn(page, service, '/messages/passes');
  const attempts = page.getByRole('table', { name: 'Attempts' }).getByRole('button');
  await attempts.first().click();
  const response = page.getByRole('region', { name: 'Response' });
  await response.getByText('No answer: order_given_up').waitFor();
  expect(await response.innerText()).not.toContain('connection that was open');
});
