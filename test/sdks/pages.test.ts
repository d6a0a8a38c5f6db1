import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { openBrowser } from '../browser/browser.ts';
import { removeFolder, temporaryFolder } from '../system/kit/leaks.ts';
import { type Receiver, receive } from '../system/kit/receiver.ts';
import { sharedService } from '../system/kit/service.ts';
import { expectCalls } from './calls.ts';
import { npm, unlessMissing } from './install.ts';

const service = sharedService();
const browser = openBrowser();

const PROGRAMS = join(import.meta.dirname, 'programs');

const SEGMENT = ['@segment/analytics-next', '1.84.3', 'dist/umd', 'segment-page.js'] as const;
const RUDDER = [
  '@rudderstack/analytics-js',
  '3.34.1',
  'dist/npm/modern/bundled/umd',
  'rudder-page.js',
  'screen',
] as const;

test.for([
  ['standard', ...SEGMENT],
  ['batching', ...SEGMENT],
  ['xhr', ...RUDDER],
  ['beacon', ...RUDDER],
] as const)('%s mode of %s %s sends its calls', async ([mode, name, version, scripts, program, lacks], { skip }) => {
  const folder = temporaryFolder();
  onTestFinished(() => removeFolder(folder));
  await unlessMissing(`${name} ${version} (${mode})`, skip, async () => {
    await npm(folder, name, version, join(PROGRAMS, program));
    const page = await browser.newPage();
    const send = async ({ writeKey }: { writeKey: string }): Promise<void> => {
      const site = await serve(join(folder, 'node_modules', name, scripts), join(folder, 'program.js'), {
        endpoint: service.url,
        writeKey,
        mode,
      });
      await page.goto(site.url());
    };
    await expectCalls(service, send, lacks);
  });
});

/** A page that runs the library's `index.js` and then the program, which finds its `settings`. */
function serve(scripts: string, program: string, settings: object): Promise<Receiver> {
  const html = `<!doctype html><title>Shop</title><script>const settings = ${JSON.stringify(settings)}</script>
    <script src="/index.js"></script><script src="/program.js"></script>`;
  return receive(async ({ path }) => {
    if (!path.endsWith('.js')) return { status: 200, headers: { 'Content-Type': 'text/html' }, body: html };
    const body = await readFile(path === '/program.js' ? program : join(scripts, path));
    return { status: 200, headers: { 'Content-Type': 'text/javascript' }, body };
  });
}
