import { join } from 'node:path';
import type { TestUserConfig, ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Stores begin threads by the hundred: without it each would read and compile the same sources again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Files of few lines that take long. Vitest begins with those of most lines: these would come last, and keep one core busy at the end. */
const LONG = [
  'test/cluster/promises.test.ts',
  'stores/jetstream/event-log.test.ts',
  'stores/postgres/store-conformance.test.ts',
  'stores/sqlite/event-log.test.ts',
  'stores/sqlite/store-conformance.test.ts',
  'test/cluster/people-model.test.ts',
];

/** It measures how long each request holds the loop. Beside others it would ask most of them again, and take eight times as long. */
const ALONE = 'test/system/worst-input.test.ts';

const TOGETHER: TestUserConfig = {
  name: 'together',
  include: [
    'packages/*/src/**/*.test.ts',
    'packages/*/test/**/*.test.ts',
    'test/**/*.test.ts',
    'checks/**/*.test.ts',
    'bench/**/*.test.ts',
  ],
  // Those of the SDKs install libraries from package registries: `npm run test:sdks`.
  exclude: ['test/sdks/**', ALONE],
  sequence: { groupOrder: 1 },
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.endsWith(name));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const config: ViteUserConfig = {
  test: {
    // A process for each file: what a test leaks (a timer, a handle, a signal listener) can't reach another file.
    pool: 'forks',
    // Much of a test is waiting for a process or a disk: others go on meanwhile.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: TOGETHER },
      { extends: true, test: { name: 'alone', include: [ALONE], sequence: { groupOrder: 2 } } },
    ],
    // Whole-system tests start real processes and browsers, and a loaded machine may need a while for that. What such a test
    // waits for has a deadline of its own, with words; this one ends what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // A test that asserts nothing fails.
    expect: { poll: { timeout: 20_000 }, requireAssertions: true },
    // A test that passes the second time has found something: it is never tried again.
    retry: 0,
  },
};

export default config;
