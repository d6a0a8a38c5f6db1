import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { startProduct } from '../product.ts';
import { installRival } from '../side.ts';
import type { ClientCost } from '../sides/client.ts';
import type { Scenario } from './scenario.ts';

const LIBRARIES = { millrace: '@millrace/client', segment: '@segment/analytics-node' } as const;
type Library = keyof typeof LIBRARIES;

/** As many as wait in both with their defaults. */
const WAITING = 5_000;

export const client: Scenario = {
  name: 'client',
  title: 'The client library',
  about: `\`@millrace/client\` against \`@segment/analytics-node\`, with their defaults, calls of about 1 KB, in turn, each measurement
in a fresh process (\`bench/sides/client.ts\`). *Events/s* and CPU: bursts of 1,000 calls, flushed, to the same running
service. *ns to return*: until the call returns; *to queue*: until it waits in a batch with nothing more to be done for it
(Segment's does most of that after it has returned, on the same thread; ours has by then checked the call and made its JSON);
*to send*: until its request was handed to a \`fetch\` that answers at once; for these both flush by hand, every 400 calls.
*Bytes queued*: heap per message that waits because the service does not answer. *kB gzip*: all of the library's code for Node,
bundled and minified by the same bundler.`,
  async run(bench) {
    await installRival('@segment/analytics-node');
    const sizes = await bench.processes.run<Record<Library, number>>(sideCommand('client-sizes.ts', []));
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      const { writeKey } = await product.createSource();
      for (let round = 0; round < bench.options.rounds; round++) {
        for (const library of ['segment', 'millrace'] as const) {
          await measure(bench, library, sizes[library], [String(product.port), writeKey]);
        }
      }
      await product.stop();
    });
  },
};

async function measure(bench: Bench, library: Library, gzipBytes: number, service: readonly string[]): Promise<void> {
  const { seconds } = bench.options;
  const cost = (...args: readonly string[]): Promise<ClientCost> =>
    bench.processes.run<ClientCost>(sideCommand('client.ts', [library, ...args]));
  const { returnNanos = null, queueNanos = null, sendNanos = null } = await cost('calls', String(seconds));
  const { queuedBytes = null } = await cost('memory', String(WAITING));
  const { events = 0, seconds: took = 1, cpuSeconds = 0 } = await cost('rate', String(seconds), ...service);
  bench.figures.record({
    id: `client/${library}`,
    what: LIBRARIES[library],
    perSecond: events / took,
    ...(library === 'millrace' ? { against: 'client/segment' } : {}),
    cpuMicros: (cpuSeconds / events) * 1e6,
    returnNanos,
    queueNanos,
    sendNanos,
    queuedBytes,
    gzipBytes,
  });
}

function sideCommand(file: string, args: readonly string[]): { name: string; file: string; args: readonly string[] } {
  return {
    name: `bench/sides/${file}`,
    file: process.execPath,
    args: ['--expose-gc', join(import.meta.dirname, '../sides', file), ...args],
  };
}
