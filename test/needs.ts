import { spawnSync } from 'node:child_process';

export type Tool =
  | 'cc'
  | 'chromium'
  | 'curl'
  | 'go'
  | 'java'
  | 'mvn'
  | 'nats-server'
  | 'openssl'
  | 'pg_dump'
  | 'php'
  | 'pip3'
  | 'python3'
  | 'ruby';

/** Programs that some tests need beyond what npm installs, and the Debian packages that bring them. */
const PACKAGES: Readonly<Record<Tool, readonly string[]>> = {
  cc: ['gcc', 'libc6-dev'],
  chromium: ['chromium'],
  curl: ['curl'],
  go: ['golang-go'],
  java: ['default-jdk-headless'],
  mvn: ['maven'],
  'nats-server': ['nats-server'],
  openssl: ['openssl'],
  // With the server, which is then of the same version.
  pg_dump: ['postgresql'],
  php: ['php-cli'],
  pip3: ['python3-pip'],
  python3: ['python3'],
  ruby: ['ruby'],
};

const INSTALL_MS = 300_000;

const known = new Map<Tool, boolean>();

/**
 * Whether the program can be used. A missing one is installed with apt-get where this process may (root, or sudo that
 * asks no password). Where it may not, the answer is false and a line on stderr says what goes untested:
 *
 *     const php = await need('php');
 *     test.skipIf(!php)('the PHP example verifies', …);
 *
 * @throws Error with CI=true, where nothing may go untested.
 */
export async function need(tool: Tool): Promise<boolean> {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const there = isThere(tool) || install(tool);
  known.set(tool, there);
  if (!there) reportMissing(tool);
  return there;
}

function isThere(tool: Tool): boolean {
  // Servers lie where only root looks.
  const script = 'PATH="$PATH:/usr/sbin" && command -v "$1"';
  return spawnSync('/bin/sh', ['-c', script, 'sh', tool], { stdio: 'ignore' }).status === 0;
}

function install(tool: Tool): boolean {
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args: string[]): boolean => {
    // Two test files may want to install at once: the second waits for the lock.
    const [command = '', ...rest] = [...asRoot, 'apt-get', '-q', '-y', '-o', 'DPkg::Lock::Timeout=120', ...args];
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return spawnSync(command, rest, { stdio: 'ignore', timeout: INSTALL_MS, env }).status === 0;
  };
  const packages = PACKAGES[tool];
  const installed = apt('install', '--no-install-recommends', ...packages);
  // A fresh container has no package lists yet.
  if (!installed && apt('update')) apt('install', '--no-install-recommends', ...packages);
  return isThere(tool);
}

function reportMissing(tool: Tool): void {
  const message = `${tool} is not installed and could not be installed (Debian: ${PACKAGES[tool].join(' ')})`;
  if (process.env['CI'] === 'true') throw new Error(message);
  process.stderr.write(`\n!!! SKIPPED: ${message}. What needs it goes untested.\n\n`);
}
