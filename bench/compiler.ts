import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Compiles one of the C sources into a folder; null, with the reason said, where there is no compiler. */
export async function compile(source: string, folder: string, ...flags: string[]): Promise<string | null> {
  const output = join(folder, basename(source, '.c'));
  const input = join(import.meta.dirname, 'native', source);
  try {
    await run('cc', ['-O2', '-o', output, ...flags, input, '-ldl']);
    return output;
  } catch (error) {
    console.log(`(${source} was not compiled: ${error instanceof Error ? error.message : String(error)})`);
    return null;
  }
}
