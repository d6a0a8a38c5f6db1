/**
 * Builds the interface into `dist/`, and beside it what pages load from the service, the client for browsers, unless what is
 * there was made from the same sources; says nothing then. With a folder as argument, copies the build there: the published server carries it.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { bundle } from '../client/bundle.ts';

const FOLDER: string = import.meta.dirname;
const DIST: string = join(FOLDER, 'dist');
const CLIENT: string = join(FOLDER, '../client');
const SOURCES: readonly string[] = [
  'index.html',
  'package.json',
  'public',
  'src',
  'tsconfig.json',
  'vite.config.ts',
  // Its examples are on the page of the signature verifier.
  '../../docs/signing.md',
  '../client/bundle.ts',
  '../client/src',
];

const sources = hashOf(SOURCES.flatMap((name) => filesIn(join(FOLDER, name))));
if (sources !== hashOfBuild()) {
  console.log('Building the interface (once per change of its sources)…');
  // Built beside and then put in place: a service that runs meanwhile never serves half of it.
  mkdirSync(join(FOLDER, 'node_modules'), { recursive: true });
  const fresh = mkdtempSync(join(FOLDER, 'node_modules', '.build-'));
  try {
    await build({ root: FOLDER, logLevel: 'warn', build: { outDir: fresh, emptyOutDir: true } });
    mkdirSync(join(fresh, 'browser'));
    const script = await bundle(join(CLIENT, 'src/analytics/script.ts'), { format: 'iife' });
    writeFileSync(join(fresh, 'browser/analytics.min.js'), script);
    for (const folder of ['assets', 'browser']) for (const file of filesIn(join(fresh, folder))) compress(file);
    writeFileSync(join(fresh, '.sources'), sources);
    rmSync(DIST, { recursive: true, force: true });
    chmodSync(fresh, 0o755);
    renameSync(fresh, DIST);
  } catch (error) {
    console.error(`The interface could not be built: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

const copy = process.argv[2];
if (copy !== undefined && !process.exitCode) {
  rmSync(copy, { recursive: true, force: true });
  cpSync(DIST, copy, { recursive: true });
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${relative(FOLDER, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** The sources that the build was made from; null where there is none. */
function hashOfBuild(): string | null {
  try {
    return readFileSync(join(DIST, '.sources'), 'utf8');
  } catch {
    return null;
  }
}

/** A file, or all files below a folder, in the order of their names; tests are left out. */
function filesIn(path: string): string[] {
  try {
    return readdirSync(path)
      .sort()
      .filter((name) => !name.includes('.test.'))
      .flatMap((name) => filesIn(join(path, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return [path];
    throw error;
  }
}

/** Puts `.br` and `.gz` beside a text, for the server to choose from. */
function compress(file: string): void {
  if (!/\.(js|css|svg)$/.test(file)) return;
  const text = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(text));
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
}
