import { type AddressInfo, createServer } from 'node:net';
import type { Bench } from './bench.ts';
import type { Running } from './processes.ts';

export interface Redis {
  readonly port: number;
  readonly running: Running;
}

/** A Redis of its own that syncs every write before it answers; null where redis-server is not installed. */
export async function startRedis(bench: Bench, folder: string): Promise<Redis | null> {
  const port = await freePort();
  const settings = {
    port: String(port),
    bind: '127.0.0.1',
    dir: folder,
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    'maxmemory-policy': 'noeviction',
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  try {
    const command = { name: 'redis-server', file: 'redis-server', args };
    return { port, running: await bench.processes.start(command, /Ready to accept connections/) };
  } catch (error) {
    if (error instanceof Error && error.message.includes('ENOENT')) return null;
    throw error;
  }
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
