import { execFile } from 'node:child_process';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Compiles a C source into a folder; null, with the reason said, where there is no compiler. */
export async function compile(source: string, folder: string, ...flags: string[]): Promise<string | null> {
  const output = join(folder, basename(source, '.c'));
  try {
    await run('cc', ['-O2', '-o', output, ...flags, source, '-ldl']);
    return output;
  } catch (error) {
    console.log(`(${basename(source)} was not compiled: ${error instanceof Error ? error.message : String(error)})`);
    return null;
  }
}
