/**
 * `npm run cluster`: three NATS servers, PostgreSQL and two nodes on this machine, to try a cluster with. Ctrl-C ends all of
 * them and removes what they kept.
 *
 *     npm run cluster -- --nodes 3 --port 9000 --database-url postgres://user:password@host/database
 *
 * Without a database URL (of an empty database) it is the system's PostgreSQL, or npm's.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { needNats, startNats } from './nats.ts';
import { startPostgres } from './postgres.ts';

const BIN = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '2' },
    port: { type: 'string', default: '8080' },
    'database-url': { type: 'string' },
  },
});

/** What was started, to be ended in reverse. */
const started: (() => Promise<unknown>)[] = [];
let ending: Promise<void> | null = null;

process.exitCode = await run().catch(async (error: Error) => {
  console.error(`The cluster could not be started: ${error.message}`);
  await end();
  return 1;
});

async function run(): Promise<number> {
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  if (!(await needNats())) {
    throw new Error('there is no nats-server. Install it (Debian: nats-server), or name one in NATS_SERVER.');
  }
  console.log('Starting three NATS servers and PostgreSQL ...');
  const nats = await startNats({ servers: 3, detached: true });
  started.push(() => nats.stop());
  const databaseUrl = values['database-url'] ?? (await ownDatabase());
  const urls = { MILLRACE_NATS_URL: nats.url, MILLRACE_DATABASE_URL: databaseUrl };
  const token = randomBytes(24).toString('base64url');
  const port = Number(values.port);
  const nodes: Listening[] = [];
  for (let i = 0; i < Number(values.nodes); i++) {
    // One after the other: the first one makes the streams and the tables.
    nodes.push(await startNode(`node ${i + 1}`, port === 0 ? 0 : port + i, { ...urls, MILLRACE_ADMIN_TOKEN: token }));
  }
  console.log(howToTry(nodes, token, urls, port === 0 ? 0 : port + nodes.length));
  await interrupted;
  console.log('\nEnding everything ...');
  await end();
  return 0;
}

function end(): Promise<void> {
  ending ??= (async () => {
    for (let stop = started.pop(); stop; stop = started.pop()) await stop();
  })();
  return ending;
}

async function ownDatabase(): Promise<string> {
  const postgres = await startPostgres({ detached: true });
  started.push(() => postgres.stop());
  return postgres.createDatabase();
}

interface Listening {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

/** What it logs appears under its name. */
async function startNode(name: string, port: number, settings: Readonly<Record<string, string>>): Promise<Listening> {
  const env = { ...process.env, MILLRACE_ALLOW_PRIVATE_URLS: 'true', MILLRACE_LOG_LEVEL: 'warn', ...settings };
  const child = spawn(process.execPath, [BIN, 'start', '--port', String(port)], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(() => endNode(child));
  createInterface(child.stderr).on('line', (line) => console.error(`${name}: ${line}`));
  child.on('exit', (code, signal) => {
    if (!ending) console.log(`${name} has ended (${signal ?? code}). The others go on.`);
  });
  for await (const line of createInterface(child.stdout)) {
    const url = /listening on (\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return { name, url, pid: child.pid ?? 0 };
  }
  throw new Error(`${name} has ended before it listened`);
}

/** It drains; a node that was killed has ended already. */
async function endNode(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

function howToTry(
  nodes: readonly Listening[],
  token: string,
  urls: Readonly<Record<string, string>>,
  port: number,
): string {
  const [first, last] = [nodes[0], nodes.at(-1)];
  const settings = Object.entries(urls).map(([name, value]) => `${name}=${value}`);
  return `
The cluster is ready. Ctrl-C ends it and removes what it kept.

${nodes.map(({ name, url, pid }) => `  ${name}  ${url}  (process ${pid})`).join('\n')}

In a second terminal, in this folder, what arrives is printed:

  export MILLRACE_ADMIN_TOKEN=${token}
  npx millrace listen --connect --url ${first?.url}

In a third, an event is sent to another node:

  export MILLRACE_ADMIN_TOKEN=${token}
  npx millrace send --url ${last?.url}

Kill a node (kill -9 ${first?.pid}), and the others deliver what it had. One more joins with

  MILLRACE_ADMIN_TOKEN=${token} MILLRACE_ALLOW_PRIVATE_URLS=true \\
    ${settings.join(' \\\n    ')} \\
    npx millrace start --port ${port}
`;
}
