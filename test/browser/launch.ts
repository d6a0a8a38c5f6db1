import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { findChromium } from './chromium.ts';

export const LAUNCH_MS = 60_000;

/** A page is light, without motion and in UTC unless it is asked to be otherwise. */
export const PAGE_DEFAULTS: BrowserContextOptions = {
  colorScheme: 'light',
  reducedMotion: 'reduce',
  timezoneId: 'UTC',
  locale: 'en-US',
};

const ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No name but this machine's is ever looked up.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1',
];

/** Without memory for pixels, pages are laid out and never painted. */
const UNPAINTED = '--force-gpu-mem-available-mb=0';

/** A headless Chromium; null where there is none, and none could be installed. `isSeen` says that pictures are taken of its pages. */
export async function launchChromium({ isSeen }: { readonly isSeen: boolean }): Promise<Browser | null> {
  const found = await findChromium();
  if (found === null) return null;
  const { path, env } = found;
  const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return chromium.launch({
    executablePath: path,
    args: isSeen ? ARGS : [...ARGS, UNPAINTED],
    env: { ...Object.fromEntries(inherited), ...env },
    headless: true,
    chromiumSandbox: false,
    timeout: LAUNCH_MS,
  });
}
