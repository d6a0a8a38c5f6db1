import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundle } from '../bundle.ts';

export const ROOT: string = join(import.meta.dirname, '../../..');
export const PACKAGE: string = join(ROOT, 'packages/client');

export const run: typeof execFile.__promisify__ = promisify(execFile);

/** The package as it is published, in a project that has it installed. */
export interface Project extends Disposable {
  readonly folder: string;
  /** Where the package is in it. */
  readonly installed: string;
  /** Writes a file of the project and answers its path. */
  write(name: string, text: string): string;
}

/** Compiles the package into a new project, and touches nothing in the source tree. */
export async function builtPackage(): Promise<Project> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-client-'));
  const installed = join(folder, 'node_modules/@millrace/client');
  mkdirSync(installed, { recursive: true });
  await tool('tsc', ['-p', join(PACKAGE, 'tsconfig.build.json'), '--outDir', join(installed, 'dist')]);
  writeFileSync(
    join(installed, 'dist/millrace.min.js'),
    await bundle(join(PACKAGE, 'src/script.ts'), { format: 'iife' }),
  );
  for (const file of ['package.json', 'README.md']) cpSync(join(PACKAGE, file), join(installed, file));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return {
    folder,
    installed,
    write(name, text) {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs a tool of the workspace; answers what it printed. Rejects with that when the tool fails. */
export async function tool(name: string, args: readonly string[], cwd: string = ROOT): Promise<string> {
  try {
    const { stdout } = await run(join(ROOT, 'node_modules/.bin', name), args, { cwd });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${name} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
