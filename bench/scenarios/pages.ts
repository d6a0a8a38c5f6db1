import type { Browser, Page } from 'playwright-core';
import { launchChromium, PAGE_DEFAULTS } from '../../test/browser/launch.ts';
import type { Bench } from '../bench.ts';
import { load } from '../measure.ts';
import { type Product, startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const EVENTS = 300_000;
const EVENTS_FULL = 10_000_000;
const LOAD_SECONDS = 900;

/** `slow`: what Lighthouse throttles to for mobile, 1.6 Mbit/s down, 750 kbit/s up, 150 ms, and a CPU of a quarter. */
const CASES = [
  { id: 'fast', what: 'as it is', network: null, cpu: 1 },
  {
    id: 'slow',
    what: 'slow 4G, CPU 4 × slower',
    network: { downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8, latency: 150 },
    cpu: 4,
  },
] as const;

/** Milliseconds from the begin of the navigation. */
interface Times {
  /** The numbers of a destination are there. */
  readonly usable: number;
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** Of tasks longer than 50 ms, what is above that, summed. */
  readonly blocked: number;
  readonly requests: number;
}

export const pages: Scenario = {
  name: 'pages',
  title: 'The first page',
  about: `The overview of a service with ${EVENTS.toLocaleString('en')} events (${EVENTS_FULL.toLocaleString('en')} with \`--full\`) in a headless
Chromium without a cache: seconds from the begin of the navigation until the numbers of a destination are shown, medians. First and largest
contentful paint, and the time that tasks above 50 ms blocked, are the browser's own. Slow is what Lighthouse throttles to for mobile.`,
  async run(bench) {
    const browser = await launchChromium({ isSeen: true });
    if (browser === null) return bench.figures.skip('The first page', 'no Chromium');
    try {
      await bench.withFolder((folder) => measure(bench, browser, folder));
    } finally {
      await browser.close();
    }
  },
};

async function measure(bench: Bench, browser: Browser, folder: string): Promise<void> {
  const product = await startProduct(bench, folder);
  const source = await product.createSource();
  const events = bench.options.full ? EVENTS_FULL : EVENTS;
  await load(bench, {
    port: product.port,
    writeKeys: [source.writeKey],
    callsPerRequest: 100,
    connections: 8,
    seconds: LOAD_SECONDS,
    events,
  });
  // Made after the load: what is measured is the page, not the deliveries.
  await product.createDestination([source], ['/ok']);
  for (const { id, what, network, cpu } of CASES) {
    for (let round = 0; round < bench.options.rounds; round++) {
      const { usable, firstPaint, largestPaint, blocked, requests } = await open(browser, product, network, cpu);
      bench.figures.record({
        id: `pages/${id}/product`,
        what: `Millrace, overview, ${what}`,
        seconds: usable / 1000,
        note:
          `${events.toLocaleString('en')} events; first paint ${Math.round(firstPaint)} ms, largest ` +
          `${Math.round(largestPaint)} ms, blocked ${Math.round(blocked)} ms, ${requests} requests`,
      });
    }
  }
  await product.stop();
}

async function open(
  browser: Browser,
  product: Product,
  network: (typeof CASES)[number]['network'],
  cpu: number,
): Promise<Times> {
  const context = await browser.newContext(PAGE_DEFAULTS);
  const origin = `http://127.0.0.1:${product.port}`;
  await context.request.post(`${origin}/api/session`, { data: { token: product.token } });
  const page = await context.newPage();
  let requests = 0;
  page.on('request', () => {
    requests += 1;
  });
  const devtools = await context.newCDPSession(page);
  if (network) await devtools.send('Network.emulateNetworkConditions', { offline: false, ...network });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  await page.addInitScript(OBSERVE);
  await page.goto(origin, { waitUntil: 'commit' });
  const times = await observed(page);
  await context.close();
  return { ...times, requests };
}

/** In the page: what asks it from outside runs on its processor, which is a quarter. */
const OBSERVE = `
  globalThis.observed = { usable: 0, firstPaint: 0, largestPaint: 0, blocked: 0 };
  const observe = (type, tell) =>
    new PerformanceObserver((list) => list.getEntries().forEach(tell)).observe({ type, buffered: true });
  const watch = new MutationObserver(() => {
    if (!document.querySelector('main table tbody a')) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => { observed.usable = performance.now(); }));
  });
  watch.observe(document, { childList: true, subtree: true });
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') observed.firstPaint = startTime;
  });
  observe('largest-contentful-paint', ({ startTime }) => { observed.largestPaint = startTime; });
  observe('longtask', ({ duration }) => { observed.blocked += duration - 50; });
`;

/** Once the page has come to rest: the largest paint may follow the numbers. */
async function observed(page: Page): Promise<Omit<Times, 'requests'>> {
  await page.locator('[role=img] canvas').waitFor();
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 500)))');
  return page.evaluate('observed');
}
