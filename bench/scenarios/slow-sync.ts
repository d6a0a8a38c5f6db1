import { endToEnd } from '../measure.ts';
import { productSide, startProduct } from '../product.ts';
import { slowSyncEnv, startStrawMan } from '../side.ts';
import type { Scenario } from './scenario.ts';

export const slowSync: Scenario = {
  name: 'slow-sync',
  title: 'A disk whose sync takes 4 ms',
  about: `End to end as above, batches of 100, with every fsync and fdatasync of the measured process made 4 ms longer by a
preloaded library (\`bench/native/slow-sync.c\`), for the straw man and the product alike.`,
  async run(bench) {
    const library = bench.slowSync;
    if (library === null) return bench.figures.skip('A disk whose sync takes 4 ms', 'needs Linux and a C compiler');
    const against = 'slow-sync/straw-man';
    const env = slowSyncEnv(library);
    await bench.withFolder(async (folder) => {
      const side = await startStrawMan(bench, folder, env);
      const figure = await endToEnd(bench, side, 100);
      bench.figures.record({ id: 'slow-sync/straw-man', what: 'Straw man, batches of 100', ...figure });
      await side.stop();
    });
    await bench.withFolder(async (folder) => {
      const side = await productSide(await startProduct(bench, folder, env), ['/ok']);
      const figure = await endToEnd(bench, side, 100);
      bench.figures.record({ id: 'slow-sync/product', what: 'Millrace, batches of 100, 1 URL', against, ...figure });
      await side.stop();
    });
  },
};
