import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../checks/tool.ts';
import { need } from '../needs.ts';

/** A Chromium that can be started. */
export interface Chromium {
  readonly path: string;
  /** Added to the environment it is started with. */
  readonly env: Readonly<Record<string, string>>;
}

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The Chromium to test with: the one CHROME_PATH names, else the system's, else the one inside @sparticuz/chromium
 * (Linux, x64), else Debian's, installed where this process may. Null where there is none, with a loud line.
 *
 * @throws Error when CHROME_PATH names no file, and with CI=true where there is no browser.
 */
export async function findChromium(): Promise<Chromium | null> {
  const named = process.env['CHROME_PATH'];
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return { path: named, env: {} };
    throw new Error(`CHROME_PATH names ${named}, which does not exist: name the file of a Chromium or Chrome`);
  }
  const installed = onPath();
  if (installed !== null) return { path: installed, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return packaged();
  const path = (await need('chromium')) ? onPath() : null;
  return path === null ? null : { path, env: {} };
}

function onPath(): string | null {
  for (const name of NAMES) {
    const { status, stdout } = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name], { encoding: 'utf8' });
    if (status === 0) return stdout.trim();
  }
  return null;
}

/** Unpacked once per version. A process that finds it unpacked finds it whole, also when several processes start at once. */
async function packaged(): Promise<Chromium> {
  const manifest = join(ROOT, 'node_modules/@sparticuz/chromium/package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const cache = join(ROOT, 'node_modules/.cache');
  const folder = join(cache, `chromium-${version}`);
  if (!existsSync(folder)) {
    mkdirSync(cache, { recursive: true });
    await unpackInto(folder, mkdtempSync(`${folder}-`));
  }
  nameFonts(folder);
  // What the system lacks comes from the package: libraries, and with no font at all Chromium dies on the first input.
  const libraries = [join(folder, 'al2023/lib'), process.env['LD_LIBRARY_PATH'] ?? ''].filter((path) => path !== '');
  return {
    path: join(folder, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries.join(':'), FONTCONFIG_PATH: join(folder, 'fontconfig') },
  };
}

async function unpackInto(folder: string, workplace: string): Promise<void> {
  try {
    const env = { ...process.env, TMPDIR: workplace, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'unpack.ts')], { env });
    renameSync(workplace, folder);
  } catch (error) {
    // Another process was faster: a folder that has something in it is not replaced.
    if (!existsSync(folder)) throw new Error('Chromium could not be unpacked', { cause: error });
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Tells the browser where fonts lie. Several processes may do so at once: each finds a whole file, the old or the new. */
function nameFonts(folder: string): void {
  const path = join(folder, 'fontconfig/fonts.conf');
  const conf = fontsConf(folder);
  if (existsSync(path) && readFileSync(path, 'utf8') === conf) return;
  mkdirSync(dirname(path), { recursive: true });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, conf);
  renameSync(fresh, path);
}

/**
 * The package's own names one fixed folder, where nothing lies. It has no font of fixed width: one of the system's is taken
 * where there is one.
 */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <alias>
    <family>monospace</family>
    <prefer>
      <family>DejaVu Sans Mono</family>
      <family>Liberation Mono</family>
    </prefer>
  </alias>
</fontconfig>
`;
}
