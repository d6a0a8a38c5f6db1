import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectWellMade, openSignedIn } from './kit.ts';

const service = sharedService();
const browser = openBrowser(service);

const SECRET = 'correct-horse-battery-staple';
const BODY = '{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}';
const SIGNATURE = '728939ab1c4ade6f13834a48afed414df5ecfc59';

async function verify(page: Awaited<ReturnType<typeof browser.newPage>>, signature: string): Promise<void> {
  await page.locator('input[type=password]').fill(SECRET);
  await page.getByLabel('Body').fill(BODY);
  await page.getByLabel('X-Signature header').fill(signature);
  await page.getByRole('button', { name: 'Verify' }).click();
}

test('a right signature is said to be right, and the secret is kept nowhere', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/verify');
  await verify(page, SIGNATURE);
  await page.getByText('The signature is right').waitFor();
  expect(page.url()).toBe(`${service.url}/verify`);
  expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(SECRET);
  // What is typed after a verdict takes it away.
  await page.getByLabel('Body').fill(`${BODY} `);
  await page.getByText('The signature is right').waitFor({ state: 'hidden' });
});

test('a wrong one is told apart: why, what it should be, and where they differ first', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/verify');
  await verify(page, createHmac('sha256', SECRET).update(BODY).digest('hex'));
  await page.getByText('SHA-256').first().waitFor();
  await page.getByText(SIGNATURE).waitFor();
  await verify(page, `${SIGNATURE.slice(0, 10)}0${SIGNATURE.slice(11)}`);
  await page.getByText('The first 10 characters are the same.').waitFor();
  await verify(page, '<script>document.title="taken"</script>');
  await page.getByText('<script>document.title="taken"</script>').waitFor();
});

test('without a secret nothing is asked, and the field is named', async () => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/verify');
  await page.getByRole('button', { name: 'Verify' }).click();
  expect(await page.evaluate('document.activeElement.type')).toBe('password');
});

test.each(['Node.js', 'Python', 'Go', 'Ruby', 'PHP'])('there is code for %s', async (language) => {
  const page = await browser.newPage();
  await openSignedIn(page, service, '/verify');
  await page.getByRole('tab', { name: language }).click();
  await page
    .getByRole('region', { name: `${language} example` })
    .getByText(/sha1/i)
    .waitFor();
});

test('the signature verifier is well made', async () => {
  await expectWellMade(browser, service, '/verify', {
    name: 'verify',
    ready: async (page) => {
      await verify(page, SIGNATURE.replace('7', '8'));
      await page.getByText('They differ from the first character on.').waitFor();
    },
  });
});
