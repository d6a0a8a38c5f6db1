import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { bundle } from '../../packages/client/bundle.ts';
import { coreSuite } from '../../packages/client/test/core-suite.ts';
import { startScriptedServer } from '../../packages/client/test/scripted-server.ts';
import { openBrowser } from '../browser/browser.ts';
import { serveSite } from './site.ts';

const browser = openBrowser();
const server = await startScriptedServer();
const suite = await bundle(join(import.meta.dirname, '../../packages/client/test/core-suite.ts'), {
  format: 'iife',
  name: 'core',
});

afterAll(() => server.close());

/** A page that has the suite as `cases`. Chromium writes a line for each fault that the server plays. */
async function openSuite(): Promise<Page> {
  const site = await serveSite([server.url], { '/core.js': suite });
  const page = await browser.newPage({ mayLog: [/Failed to load resource/] });
  await page.goto(site.url());
  await page.evaluate(`{ globalThis.cases = core.coreSuite({ server: ${JSON.stringify(server.url)} }); }`);
  return page;
}

/** The cases as Node has them. */
const names = coreSuite({ server: server.url }).map(({ name }) => name);

test('the cases in the browser are those in Node', async () => {
  const page = await openSuite();
  expect(await page.evaluate('cases.map(({ name }) => name)')).toEqual(names);
});

describe('the core in a browser', () => {
  test.each(names)('%s', async (name) => {
    const page = await openSuite();
    const run = page.evaluate(`cases.find(({ name }) => name === ${JSON.stringify(name)}).run()`);
    await expect(run).resolves.toBeUndefined();
  });
});
