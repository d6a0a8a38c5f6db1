/**
 * `npm run pictures`: takes the pictures of README.md and docs/ again, of the real service with a believable history.
 * They are what the interface looks like, so take them when it has changed.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { ROOT } from '../../checks/tool.ts';
import { startApp } from '../../packages/server/src/app.ts';
import { parseConfig } from '../../packages/server/src/config.ts';
import { createLogger } from '../../packages/server/src/observe/logger.ts';
import { launchChromium, PAGE_DEFAULTS } from '../browser/launch.ts';
import { watch } from '../browser/watch.ts';
import { Random } from '../simulation/random.ts';
import { type Cast, castOf } from './cast.ts';
import { portOr0, startEndpoints } from './endpoints.ts';
import { HISTORY_MS, makeHistory } from './history.ts';
import { PERSON } from './journal.ts';
import { SCENES, type Stage } from './scenes.ts';
import { startTraffic } from './traffic.ts';

const SEED = 7;
const WIDTH = 1440;
const FOLDER = join(ROOT, 'docs', 'pictures');

/** What waits in a picture for something that never comes fails with Playwright's words. */
const TIMEOUT_MS = 30_000;

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-pictures-'));
try {
  const endpoints = await startEndpoints(SEED);
  try {
    const cast = castOf(endpoints.url, Date.now() - HISTORY_MS);
    console.log('Making two days of history…');
    await makeHistory(dataDir, cast, SEED);
    await show(cast, endpoints.url);
  } finally {
    await endpoints.stop();
  }
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}

/** Starts the service on the history, keeps calls coming, and takes the pictures. */
async function show(cast: Cast, endpoints: string): Promise<void> {
  const config = parseConfig({
    env: {},
    flags: {
      dataDir,
      port: await portOr0(8080),
      adminToken: randomBytes(24).toString('base64url'),
      allowPrivateUrls: true,
      logLevel: 'error',
    },
  });
  const app = await startApp(config, createLogger({ level: config.logLevel, to: process.stderr }));
  // The history was told to the store: profiles are made of what the log has.
  await app.people.rebuild();
  const traffic = startTraffic(app.url, cast.sources, new Random(SEED));
  try {
    const browser = await launchChromium({ isSeen: true });
    if (browser === null) throw new Error('There is no browser to take pictures with: name one by CHROME_PATH');
    try {
      mkdirSync(FOLDER, { recursive: true });
      for (const scheme of ['light', 'dark'] as const)
        await takeAll(browser, scheme, { url: app.url, cast, endpoints });
    } finally {
      await browser.close();
    }
  } finally {
    await traffic.stop();
    await app.stop();
  }
}

/** Every picture of a colour scheme, by one person in one sitting. */
async function takeAll(
  browser: Browser,
  colorScheme: 'light' | 'dark',
  { url, cast, endpoints }: Omit<Stage, 'page'>,
): Promise<void> {
  const context = await browser.newContext({ ...PAGE_DEFAULTS, colorScheme, locale: 'en-GB' });
  context.setDefaultTimeout(TIMEOUT_MS);
  const complaints = watch(context);
  const answer = await context.request.post(`${url}/api/session`, { data: PERSON });
  if (!answer.ok()) throw new Error(`could not sign in: ${answer.status()} ${await answer.text()}`);
  for (const { name, height = 900, play } of SCENES.filter((scene) => scene.colorScheme === colorScheme)) {
    const page = await context.newPage();
    await page.setViewportSize({ width: WIDTH, height });
    await play({ page, url, cast, endpoints });
    await page.mouse.move(0, 0);
    await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled', caret: 'hide' });
    console.log(`docs/pictures/${name}.png`);
    await page.close();
  }
  await context.close();
  if (complaints.length > 0) throw new Error(`a page did what no page may:\n${complaints.join('\n')}`);
}
