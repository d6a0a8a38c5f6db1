import { type SpawnOptions, spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

export const ROOT: string = join(import.meta.dirname, '..');

export interface ToolResult {
  /** Exit code; 1 when a signal ended the tool or it could not be started. */
  readonly code: number;
  /** Both streams, in the order they came; empty when the tool wrote to the terminal itself. */
  readonly output: string;
}

/**
 * Runs a program that npm installed, or any other on the PATH, in the workspace's root or in `cwd`. Never rejects: a
 * program that can't be started is a result with exit code 1 and the reason as its output.
 */
export function runTool(
  command: string,
  args: readonly string[],
  { cwd = ROOT, inherit = false }: { cwd?: string; inherit?: boolean } = {},
): Promise<ToolResult> {
  const path = [join(ROOT, 'node_modules', '.bin'), process.env['PATH']].join(delimiter);
  const options: SpawnOptions = { cwd, env: { ...process.env, PATH: path }, stdio: inherit ? 'inherit' : 'pipe' };
  return new Promise((resolve) => {
    const child = spawn(command, args, options);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', (error) => resolve({ code: 1, output: `${command}: ${error.message}\n` }));
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString() }));
  });
}
