import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { bundle } from '../bundle.ts';
import { builtPackage, PACKAGE, ROOT, tool } from './built-package.ts';
import { runNode } from './run-node.ts';

const project = await builtPackage();

afterAll(() => project[Symbol.dispose]());

const version = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')).version as string;

test('publint and attw find nothing to say', async () => {
  const packed = await tool('publint', ['run', project.installed, '--strict', '--pack', 'npm']);
  expect(packed).toContain('All good!');
  await tool('attw', ['--pack', project.installed, '--profile', 'esm-only', '--format', 'ascii'], project.folder);
});

test.each([
  ['node', []],
  ['client', ['deno']],
  ['client', ['bun']],
  ['client', ['workerd']],
  // Bundlers for these name several conditions.
  ['client', ['edge-light', 'browser']],
  ['client', ['workerd', 'worker', 'browser']],
])('%s.js is what a program gets with the conditions %j', async (file, conditions) => {
  const main = project.write('resolve.mjs', `console.log(import.meta.resolve('@millrace/client'));`);
  const { stdout } = await runNode([...conditions.map((name) => `--conditions=${name}`), main]);
  expect(stdout.trim()).toMatch(new RegExp(`/dist/${file}\\.js$`));
});

test('a bundler for pages finds the browser version, with what a page needs', async () => {
  const main = project.write('page.mjs', `export { Millrace } from '@millrace/client';`);
  expect(await bundle(main)).toContain('pagehide');
  expect(await bundle(main, { platform: 'node' })).not.toContain('pagehide');
});

test('the core has at most 4 kB after gzip', async () => {
  const core = await bundle(join(project.installed, 'dist/client.js'));
  expect(gzipSync(core, { level: 9 }).length).toBeLessThanOrEqual(4_096);
});

test('the script that a page loads from the service has at most 8 kB after gzip', async () => {
  const script = await bundle(join(PACKAGE, 'src/analytics/script.ts'), { format: 'iife' });
  expect(gzipSync(script, { level: 9 }).length).toBeLessThanOrEqual(8_000);
});

test('batches name the version that is published', () => {
  expect(readFileSync(join(project.installed, 'dist/body.js'), 'utf8')).toContain(`version: '${version}'`);
});

/** All that the core may take from its surroundings: what WinterTC's minimum common API has. */
const WEB_STANDARD = `
  declare interface AbortSignal { readonly aborted: boolean }
  declare class AbortController { readonly signal: AbortSignal; abort(reason?: unknown): void }
  declare function setTimeout(run: () => void, ms: number): unknown;
  declare function clearTimeout(timer: unknown): void;
  declare function btoa(text: string): string;
  declare function fetch(url: string, init: object): Promise<{
    readonly status: number;
    readonly headers: { get(name: string): string | null };
    text(): Promise<string>;
  }>;
  declare class TextEncoder {
    encode(text: string): Uint8Array;
    encodeInto(text: string, room: Uint8Array): { readonly read: number; readonly written: number };
  }
  declare class URL { static canParse(url: string): boolean }
  declare const crypto: { randomUUID(): string };
  declare const console: { debug(line: string): void; warn(line: string): void };
`;

test('the core compiles where there is nothing but the language and these web standards', async () => {
  symlinkSync(join(PACKAGE, 'src'), join(project.folder, 'src'));
  project.write('web-standard.d.ts', WEB_STANDARD);
  project.write(
    'tsconfig.json',
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { lib: ['es2024', 'esnext.disposable'], types: [], isolatedDeclarations: false },
      files: ['src/client.ts', 'web-standard.d.ts'],
      include: [],
    }),
  );
  expect(await tool('tsc', ['--noEmit', '-p', join(project.folder, 'tsconfig.json')])).toBe('');
});

test('the core runs where there is nothing else, and sends', async () => {
  const script = await bundle(join(project.installed, 'dist/client.js'), { format: 'iife', name: 'millrace' });
  const bodies: string[] = [];
  const context = createContext({
    AbortController,
    setTimeout,
    clearTimeout,
    btoa,
    TextEncoder,
    URL,
    crypto: { randomUUID: () => crypto.randomUUID() },
    async fetch(_url: string, { body }: { readonly body: string }) {
      bodies.push(body);
      return { status: 200, headers: new Headers(), text: async () => '{"success":true}' };
    },
  });
  const counts = await runInContext(
    `${script}
    const client = new millrace.Millrace('key', { logger: { debug() {}, warn() {} } });
    client.track({ userId: 'u1', event: 'Tested' });
    client.close();`,
    context,
  );
  expect(counts).toEqual({ delivered: 1, failed: 0 });
  expect(JSON.parse(bodies[0] ?? '').batch[0].event).toBe('Tested');
});
