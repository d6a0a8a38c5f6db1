import { execFile } from 'node:child_process';
import { copyFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { need, type Tool } from '../needs.ts';

/** How a program in `programs/` is started. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Installs a library of this name and version in an empty folder, for the program; answers how to start the program there. */
export type Install = (folder: string, name: string, version: string, program: string) => Promise<Start>;

/** The library can't be had on this machine: its toolchain is missing, or its registry does not give it. */
class NotInstalled extends Error {}

const INSTALL_MS = 300_000;
const RUN_MS = 60_000;

export const npm: Install = async (folder, name, version, program) => {
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await install('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], folder);
  // An import is looked for beside the file that says it.
  await copyFile(program, join(folder, 'program.js'));
  return { command: process.execPath, args: ['program.js'] };
};

export const pip: Install = async (folder, name, version, program) => {
  await demand('python3', 'pip3');
  await install('python3', ['-m', 'pip', 'install', '--quiet', '--target', 'lib', `${name}==${version}`], folder);
  return { command: 'python3', args: [program], env: { PYTHONPATH: 'lib' } };
};

/** The name is `group:artifact`. */
export const maven: Install = async (folder, name, version, program) => {
  await demand('java', 'mvn');
  const [group, artifact] = name.split(':');
  const library = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  await writeFile(
    join(folder, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>sdks</groupId><artifactId>program</artifactId><version>1</version>
      <dependencies><dependency>${library}</dependency></dependencies>
    </project>`,
  );
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
  await install('mvn', ['--batch-mode', '--quiet', goal, '-DoutputDirectory=lib'], folder);
  return { command: 'java', args: ['--class-path', 'lib/*', program] };
};

export const go: Install = async (folder, name, version, program) => {
  await demand('go');
  await install('go', ['mod', 'init', 'program'], folder);
  await install('go', ['get', `${name}@${version}`], folder);
  await copyFile(program, join(folder, 'main.go'));
  await run('go', ['build', '-o', 'program', '.'], folder);
  return { command: join(folder, 'program'), args: [] };
};

/**
 * Runs a command in the folder until it ends.
 *
 * @throws Error with what it said, when it fails.
 */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
  timeout: number = RUN_MS,
): Promise<void> {
  try {
    await promisify(execFile)(command, args, { cwd, env: { ...process.env, ...env }, timeout });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${basename(command)} ${args[0] ?? ''} failed: ${stderr}${stdout}`, { cause: error });
  }
}

/**
 * Runs the test of a library. Where it can't be installed the test is skipped, with a line on stderr that says why.
 *
 * @throws Error with CI=true, where nothing may go untested.
 */
export async function unlessMissing(
  name: string,
  skip: (why: string) => never,
  body: () => Promise<void>,
): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof NotInstalled) || process.env['CI'] === 'true') throw error;
    process.stderr.write(`\nSKIPPED ${name}: ${error.message}\n\n`);
    skip(error.message);
  }
}

async function demand(...tools: Tool[]): Promise<void> {
  for (const tool of tools) if (!(await need(tool))) throw new NotInstalled(`no ${tool}`);
}

async function install(command: string, args: readonly string[], folder: string): Promise<void> {
  try {
    await run(command, args, folder, {}, INSTALL_MS);
  } catch (error) {
    throw new NotInstalled(error instanceof Error ? error.message.trim() : String(error), { cause: error });
  }
}
