import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { freePorts, natsServer, needNats } from '../cluster/nats.ts';
import { read } from './manifests.ts';

const hasNats = await needNats();

/** Begins with a digit, as one that is made at random may. */
const PASSWORD = '1a2b3c4d';

/** A server with this configuration; what it logs, line by line. */
function start(config: string, folder: string, env: Readonly<Record<string, string>> = {}): AsyncIterable<string> {
  const path = join(folder, 'nats.conf');
  writeFileSync(path, config);
  const child: ChildProcess = spawn(natsServer(), ['-c', path], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  });
  if (!child.stderr) throw new Error('A server without a log');
  return createInterface(child.stderr);
}

async function said(log: AsyncIterable<string>, what: RegExp): Promise<string> {
  for await (const line of log) if (what.test(line)) return line;
  throw new Error(`The server ended, and never said ${what}.`);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-routes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test.skipIf(!hasNats)('a NATS server without the password of the routes does not join, one with it does', async () => {
  const [client = 0, monitor = 0, cluster = 0] = await freePorts(3);
  const folder = newFolder();
  // The file as it is deployed, on ports of this test.
  const config = read('nats.conf')
    .replace('port: 4222', `listen: "127.0.0.1:${client}"\nserver_name: deployed`)
    .replace('http_port: 8222', `http: "127.0.0.1:${monitor}"`)
    .replace('port: 6222', `listen: "127.0.0.1:${cluster}"`)
    .replace('store_dir: /data', `store_dir: "${folder}"`);
  const route = (user: string): string => `"nats://${user}127.0.0.1:${cluster}"`;
  const own = route(`millrace:${PASSWORD}@`);
  const env = { NATS_PASSWORD: `"${PASSWORD}"`, NATS_ROUTE_1: own, NATS_ROUTE_2: own, NATS_ROUTE_3: own };
  await said(start(config, folder, env), /Listening for route connections/);

  const joining = (name: string, user: string): string =>
    `server_name: ${name}\nlisten: "127.0.0.1:-1"\ncluster { name: millrace, listen: "127.0.0.1:-1", routes: [${route(user)}] }`;
  await said(start(joining('rogue', ''), newFolder()), /Authorization Violation|authentication error/i);
  await said(
    start(joining('guessing', 'millrace:wrong@'), newFolder()),
    /Authorization Violation|authentication error/i,
  );
  await said(start(joining('member', `millrace:${PASSWORD}@`), newFolder()), /Route connection created/);
  const { routes } = (await (await fetch(`http://127.0.0.1:${monitor}/routez`)).json()) as {
    routes: readonly { readonly remote_name?: string; readonly remote_id: string }[];
  };
  expect(new Set(routes.map(({ remote_id: id }) => id)).size).toBe(1);
});
