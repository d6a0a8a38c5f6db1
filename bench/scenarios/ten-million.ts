import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { load, memory, notes } from '../measure.ts';
import { startProduct } from '../product.ts';
import type { Scenario } from './scenario.ts';

const EVENTS = 10_000_000;
const DISK_GB = 20;

export const tenMillion: Scenario = {
  name: 'ten-million',
  title: 'Ten million events in the log',
  about: `Ten million calls of about 1 KB accepted through the API, with no destination; then the service is stopped and
started again: the seconds until it listens. Only with \`--full\`.`,
  async run(bench) {
    if (!bench.options.full) return bench.figures.skip('Ten million events in the log', 'only with --full');
    const disk = await statfs(tmpdir());
    if ((disk.bavail * disk.bsize) / 2 ** 30 < DISK_GB) {
      return bench.figures.skip('Ten million events in the log', `needs ${DISK_GB} GB of free disk in ${tmpdir()}`);
    }
    await bench.withFolder(async (folder) => {
      const product = await startProduct(bench, folder);
      const { writeKey } = await product.createSource();
      const flood = { port: product.port, writeKeys: [writeKey], callsPerRequest: 100, connections: 8 };
      const result = await load(bench, { ...flood, seconds: 900, events: EVENTS });
      bench.figures.record({
        id: 'ten-million/ingest/product',
        what: `Millrace, ${result.accepted.toLocaleString('en')} calls accepted`,
        perSecond: result.accepted / result.seconds,
        ...memory(product.usage()),
        note: notes(result),
      });
      await product.stop();
      const startedAt = performance.now();
      const again = await startProduct(bench, folder);
      bench.figures.record({
        id: 'ten-million/start/product',
        what: 'Millrace, started again with them, until it listens',
        seconds: (performance.now() - startedAt) / 1000,
        ...memory(again.usage()),
      });
      await again.stop();
    });
  },
};
