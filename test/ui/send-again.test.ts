import { expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

test('what is typed to send again, and what is ticked, is there again on the way back from a message', async () => {
  const receiver = await receive(() => 400);
  const source = await service.source();
  const destination = await service.destination(source, receiver.url());
  for (const event of ['Signed Up', 'Signed In']) await service.accept(source, { event });
  await service.settled(destination, 2);
  const page = await browser.newPage();
  await openSignedIn(page, service, `/destinations/${destination.id}/failed`);
  const replay = page.getByRole('region', { name: 'Send again' });
  await replay.getByLabel('Event').fill('Signed');
  await replay.getByLabel('User id').fill('ada');
  await replay.getByLabel('Per second').fill('7');
  const rows = page.getByRole('table', { name: 'Deliveries' });
  await rows.getByRole('checkbox').nth(1).check();
  await rows.getByRole('link').first().click();
  await page.waitForURL(/\/messages\//);
  await page.goBack();
  await page.getByRole('button', { name: 'Send 1 chosen again' }).waitFor();
  expect(await rows.getByRole('checkbox').nth(1).isChecked()).toBe(true);
  const values = ['Event', 'User id', 'Per second'].map((name) => replay.getByLabel(name).inputValue());
  expect(await Promise.all(values)).toEqual(['Signed', 'ada', '7']);
  expect(await replay.getByRole('combobox', { name: 'Which' }).inputValue()).toBe('What failed');
});
