import { join } from 'node:path';
import type { TestUserConfig, ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Stores begin threads by the hundred: without it each would read and compile the same sources again.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compiled');

/** Files that take long, some of them with few lines: begun late, they would keep one core busy, or wait, at the end. */
const LONG = [
  'test/cluster/promises.test.ts',
  'stores/jetstream/event-log.test.ts',
  'stores/jetstream/outage.test.ts',
  'stores/jetstream/streams.test.ts',
  'stores/postgres/store-conformance.test.ts',
  'stores/sqlite/event-log.test.ts',
  'stores/sqlite/store-conformance.test.ts',
  'test/cluster/people-model.test.ts',
];

/** It measures how long each request holds the loop. Beside others it would ask most of them again, and take eight times as long. */
const ALONE = 'test/system/worst-input.test.ts';

/** Beside what they test, and watched by test/system/kit/leaks.ts, which needs a process for each file. */
const WATCHED = 'packages/server/src/stores/sqlite/{backup*,migrations,opening,restore}.test.ts';

/** Tests of modules and of stages. A process for each file would take most of its processor time for loading what it tests. */
const UNITS: TestUserConfig = {
  name: 'units',
  include: ['packages/*/src/**/*.test.ts'],
  exclude: [WATCHED],
  isolate: false,
  env: { MILLRACE_TEST_SHARES_PROCESS: 'true' },
  restoreMocks: true,
  sequence: { groupOrder: 1 },
};

const TOGETHER: TestUserConfig = {
  name: 'together',
  include: [WATCHED, 'packages/*/test/**/*.test.ts', 'test/**/*.test.ts', 'checks/**/*.test.ts', 'bench/**/*.test.ts'],
  // Those of the SDKs install libraries from package registries: `npm run test:sdks`.
  exclude: ['test/sdks/**', ALONE],
  sequence: { groupOrder: 1 },
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG.some((name) => moduleId.endsWith(name));
    // A process that files share ends where the next file in the row is not one of them.
    const rank = (file: TestSpecification): number => (isLong(file) ? 0 : file.project.config.isolate ? 1 : 2);
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

const config: ViteUserConfig = {
  test: {
    // A process for each file with services and browsers: what a test leaks (a timer, a handle, a signal listener) can't reach
    // another file. Those of UNITS share one in each worker.
    pool: 'forks',
    // Much of a test is waiting for a process or a disk: others go on meanwhile.
    maxWorkers: 5,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: UNITS },
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
