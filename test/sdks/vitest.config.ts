import type { ViteUserConfig } from 'vitest/config';
import config from '../../vitest.config.ts';

/** `npm run test:sdks`: beside the tests of `npm test`, because each of these installs a library from a package registry. */
const sdks: ViteUserConfig = {
  test: {
    ...config.test,
    include: ['test/sdks/*.test.ts'],
    exclude: [],
    // Maven's first run fetches itself together, module by module.
    testTimeout: 600_000,
  },
};

export default sdks;
