/**
 * Builds what runs into `dist/`, unless what is there was made from the same sources; says nothing then.
 * `dist/js` is the program, with all that it needs but Node.js: it starts in half the time and memory that its sources take.
 * `dist/ui` is the interface, and what customers' pages load from the service, the client for browsers.
 */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const FOLDER: string = import.meta.dirname;
const UI: string = join(FOLDER, '../ui');
const CLIENT: string = join(FOLDER, '../client');

/** A folder below `dist/`, and what it is made of. */
interface Part {
  readonly name: string;
  readonly what: string;
  readonly sources: readonly string[];
  readonly make: (folder: string) => Promise<void>;
}

const PARTS: readonly Part[] = [
  {
    name: 'ui',
    what: 'interface',
    sources: [
      ...['index.html', 'package.json', 'public', 'src', 'tsconfig.json', 'vite.config.ts'].map((name) =>
        join(UI, name),
      ),
      // Pages show the glossary, the first calls of SDKs and the examples of signing.
      join(FOLDER, '../../docs/glossary.md'),
      join(FOLDER, '../../docs/sdks.md'),
      join(FOLDER, '../../docs/signing.md'),
      join(CLIENT, 'bundle.ts'),
      join(CLIENT, 'src'),
    ],
    make: makeUi,
  },
  {
    name: 'js',
    what: 'program',
    sources: [
      ...['build.ts', 'package.json', 'src'].map((name) => join(FOLDER, name)),
      join(FOLDER, '../../package-lock.json'),
    ],
    make: makeProgram,
  },
];

for (const part of PARTS) await makeWhereOld(part);

async function makeWhereOld({ name, what, sources, make }: Part): Promise<void> {
  const dist = join(FOLDER, 'dist', name);
  const hash = hashOf(sources.flatMap(filesIn));
  if (hash === hashOfBuild(dist)) return;
  console.log(`Building the ${what} (once per change of its sources)…`);
  // Built beside and then put in place: a service that runs meanwhile never serves half of it.
  mkdirSync(join(FOLDER, 'dist'), { recursive: true });
  const fresh = mkdtempSync(join(FOLDER, 'dist', '.build-'));
  try {
    await make(fresh);
    writeFileSync(join(fresh, '.sources'), hash);
    rmSync(dist, { recursive: true, force: true });
    chmodSync(fresh, 0o755);
    renameSync(fresh, dist);
  } catch (error) {
    console.error(`The ${what} could not be built: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

async function makeUi(folder: string): Promise<void> {
  const { build } = await import('vite');
  const { bundle } = await import('../client/bundle.ts');
  await build({ root: UI, logLevel: 'warn', build: { outDir: folder, emptyOutDir: true } });
  mkdirSync(join(folder, 'browser'));
  const script = await bundle(join(CLIENT, 'src/analytics/script.ts'), { format: 'iife' });
  writeFileSync(join(folder, 'browser/analytics.min.js'), script);
  for (const each of ['assets', 'browser']) for (const file of filesIn(join(folder, each))) compress(file);
}

/** All files in one folder: each thread begins with one of its own (threads/thread.ts). */
async function makeProgram(folder: string): Promise<void> {
  const { build } = await import('vite');
  const entries = ['src/main.ts', ...globSync('src/**/*-worker.ts', { cwd: FOLDER })];
  await build({
    root: FOLDER,
    configFile: false,
    logLevel: 'warn',
    // `pg` asks for it where an application has installed it.
    ssr: { noExternal: true, external: ['pg-native'] },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: true,
      target: 'node24',
      license: { fileName: 'licenses.md' },
      rolldownOptions: {
        input: Object.fromEntries(entries.map((entry) => [basename(entry, '.ts'), join(FOLDER, entry)])),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  });
  // V8 keeps the text of a file in memory, of one with a single other character in two bytes each.
  for (const file of globSync('*.js', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, readFileSync(path, 'utf8').replace(/[^\0-\x7f]/g, escaped));
  }
}

/** As it may stand in a text, a pattern, a name or a comment. */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${relative(FOLDER, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** The sources that the build was made from; null where there is none. */
function hashOfBuild(folder: string): string | null {
  try {
    return readFileSync(join(folder, '.sources'), 'utf8');
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
