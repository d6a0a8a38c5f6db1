import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Link } from '../../packages/server/src/stores/jetstream/link.ts';
import { need } from '../needs.ts';

/** NATS servers of a test's own, with JetStream in temporary folders. */
export interface Nats {
  /** The address of each, separated by commas. */
  readonly url: string;
  readonly servers: readonly NatsServer[];
  /** Where they keep what they have. */
  readonly folder: string;
  /** Ends all of them, and removes what they kept. */
  stop(): Promise<void>;
}

export interface NatsServer {
  readonly name: string;
  readonly url: string;
  readonly port: number;
  /** Of the process that runs now. */
  readonly pid: number;
  /** Kills it as a crash would; answers when it is gone. */
  kill(): Promise<void>;
  /** Starts it again on the same port with what it left. */
  start(): Promise<void>;
}

export interface NatsOptions {
  /** More than one are a cluster. */
  readonly servers?: 1 | 3;
  /** What their configuration has beside addresses: `authorization { … }`. */
  readonly config?: string;
  /** JetStream's block; null for none. */
  readonly jetstream?: string | null;
  /** Out of reach of the terminal's Ctrl-C: who started them ends them. */
  readonly detached?: boolean;
}

const START_MS = 30_000;

/** Whether there is a nats-server: that of NATS_SERVER, else the system's, which is installed where it may be. */
export async function needNats(): Promise<boolean> {
  return existsSync(process.env['NATS_SERVER'] ?? '') || (await need('nats-server'));
}

export async function startNats({
  servers = 1,
  config = '',
  jetstream = '',
  detached = false,
}: NatsOptions = {}): Promise<Nats> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-nats-'));
  const ports = await freePorts(servers * 2);
  const routes = ports.slice(servers).map((port) => `nats://127.0.0.1:${port}`);
  const all = ports.slice(0, servers).map((port, i) => {
    const name = `n${i + 1}`;
    const path = join(folder, name);
    mkdirSync(path);
    const lines = [
      `server_name: ${name}`,
      `listen: "127.0.0.1:${port}"`,
      ...(jetstream === null ? [] : [`jetstream { store_dir: "${path}"\n${jetstream} }`]),
      ...(servers > 1
        ? [`cluster { name: test, listen: "127.0.0.1:${ports[servers + i]}", routes: [${routes.join(', ')}] }`]
        : []),
      config,
    ];
    writeFileSync(`${path}.conf`, lines.join('\n'));
    return new OwnServer(name, port, `${path}.conf`, detached);
  });
  await Promise.all(all.map((server) => server.start()));
  return {
    url: all.map(({ url }) => url).join(','),
    servers: all,
    folder,
    async stop() {
      await Promise.all(all.map((server) => server.kill()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The server that leads a stream, or one that follows it. `user`, whose password is the same, has the account of the stream. */
export async function serverOf(
  { servers }: Nats,
  user: string,
  stream: string,
  role: 'leader' | 'follower',
): Promise<NatsServer> {
  const url = servers.map(({ port }) => `nats://${user}:${user}@127.0.0.1:${port}`).join();
  const link = await Link.open({ url, name: 'test', report: () => undefined });
  try {
    const { cluster } = await link.jsm.streams.info(stream);
    const leads = servers.find(({ name }) => name === cluster?.leader);
    const found = role === 'leader' ? leads : servers.find((server) => server !== leads);
    if (!leads || !found) throw new Error(`${stream} has no ${role}`);
    return found;
  } finally {
    await link.close();
  }
}

class OwnServer implements NatsServer {
  readonly name: string;
  readonly port: number;
  readonly #config: string;
  readonly #detached: boolean;
  #process: ChildProcess | null = null;

  constructor(name: string, port: number, config: string, detached: boolean) {
    this.#detached = detached;
    this.name = name;
    this.port = port;
    this.#config = config;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(natsServer(), ['-c', this.#config], {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: this.#detached,
    });
    this.#process = child;
    let said = '';
    // It listens a moment before JetStream answers.
    let isReady = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
      isReady ||= said.includes('Server is ready');
    });
    const deadline = Date.now() + START_MS;
    while (!(await answers(this.port)) || !isReady) {
      if (child.exitCode !== null) throw new Error(`nats-server ended at its start:\n${said}`);
      if (Date.now() > deadline) throw new Error(`nats-server did not start within ${START_MS} ms:\n${said}`);
    }
  }

  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

export function natsServer(): string {
  const given = process.env['NATS_SERVER'];
  if (given !== undefined) return given;
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders.map((folder) => join(folder, 'nats-server')).find(existsSync) ?? 'nats-server';
}

/** Free when they were asked for; no other process is given them while the tests' servers start. */
export async function freePorts(count: number): Promise<number[]> {
  const holders = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  const ports: number[] = [];
  for (const holder of holders) {
    if (!holder.listening) await once(holder, 'listening');
    const address = holder.address();
    ports.push(typeof address === 'object' && address ? address.port : 0);
  }
  await Promise.all(holders.map((holder) => once(holder.close(), 'close')));
  return ports;
}

/** Whether a server greets there. */
async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    // Not up yet; the caller's deadline ends this.
    await new Promise((resolve) => setTimeout(resolve, 20));
    return false;
  } finally {
    socket.destroy();
  }
}
