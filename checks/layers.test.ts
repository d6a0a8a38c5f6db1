import { join, normalize, relative, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Field } from './plant.ts';
import { runTool } from './tool.ts';

/**
 * The layer rules of ARCHITECTURE.md, each as imports that must be refused and imports that must pass. A checker that
 * has never been seen to refuse proves nothing.
 */
const LAYERS: readonly {
  readonly from: string;
  readonly refused: readonly string[];
  readonly passes: readonly string[];
}[] = [
  {
    from: 'core/event.ts',
    refused: ['../config.ts', '../log/contract.ts', '../deliver/send.ts', 'undici', 'node:crypto'],
    passes: ['./lane.ts'],
  },
  {
    from: 'observe/logger.ts',
    refused: ['../collect/parse.ts', '../http/server.ts', '../log/contract.ts', '../config.ts', '../app.ts'],
    passes: ['../core/event.ts', './metrics.ts', 'pino', 'node:os'],
  },
  {
    from: 'http/server.ts',
    refused: ['../admin/routes.ts', '../observe/logger.ts', '../settings/contract.ts'],
    passes: ['../core/fault.ts', 'fastify', 'node:zlib'],
  },
  {
    from: 'threads/thread.ts',
    refused: ['../admin/routes.ts', '../stores/sqlite/failure.ts', '../observe/logger.ts'],
    passes: ['../core/fault.ts', 'node:worker_threads'],
  },
  ...['log', 'record', 'settings', 'accounts', 'people', 'regulations', 'alerts', 'backup'].map((folder) => ({
    from: `${folder}/contract.ts`,
    refused: ['../collect/parse.ts', '../observe/logger.ts', './conformance.ts', 'undici', 'node:sqlite'],
    passes: ['../core/event.ts'],
  })),
  {
    from: 'log/conformance.ts',
    refused: [
      '../collect/parse.ts',
      '../deliver/lane.ts',
      '../record/recorder.ts',
      '../stores/sqlite/log.ts',
      '../app.ts',
    ],
    passes: ['./contract.ts', '../core/event.ts', 'vitest'],
  },
  {
    from: 'settings/settings.ts',
    refused: ['../admin/routes.ts', '../stores/sqlite/settings.ts', '../deliver/lane.ts'],
    passes: ['./contract.ts', '../core/source.ts'],
  },
  {
    from: 'accounts/sessions.ts',
    refused: [
      '../admin/routes.ts',
      '../http/server.ts',
      '../stores/sqlite/account-store.ts',
      '../collect/parse.ts',
      '../deliver/lane.ts',
      '../record/recorder.ts',
      '../app.ts',
      '../stores.ts',
    ],
    passes: ['./contract.ts', '../core/account.ts', 'node:crypto'],
  },
  {
    from: 'regulations/regulations.ts',
    refused: [
      '../deliver/lane.ts',
      '../people/people.ts',
      '../record/contract.ts',
      '../stores/sqlite/erasure.ts',
      '../admin/routes.ts',
    ],
    passes: ['./contract.ts', '../core/event.ts', 'node:crypto'],
  },
  {
    from: 'alerts/watcher.ts',
    refused: [
      '../collect/collector.ts',
      '../deliver/send.ts',
      '../record/recorder.ts',
      '../settings/settings.ts',
      '../admin/routes.ts',
      '../stores/sqlite/store.ts',
      '../app.ts',
    ],
    passes: [
      './contract.ts',
      '../core/event.ts',
      '../record/contract.ts',
      '../deliver/schedule.ts',
      '../settings/sealing.ts',
      'node:crypto',
    ],
  },
  {
    from: 'people/audiences.ts',
    refused: [
      '../collect/collector.ts',
      '../deliver/lane.ts',
      '../record/contract.ts',
      '../admin/routes.ts',
      '../http/problem.ts',
      '../settings/settings.ts',
      '../log/conformance.ts',
      '../stores/sqlite/profiles.ts',
      '../app.ts',
    ],
    passes: ['./contract.ts', '../core/event.ts', '../log/contract.ts', 'node:crypto'],
  },
  {
    from: 'collect/route.ts',
    refused: [
      '../stores.ts',
      '../deliver/lane.ts',
      '../record/recorder.ts',
      '../record/contract.ts',
      '../people/contract.ts',
      '../admin/routes.ts',
      '../stores/sqlite/log.ts',
      '../app.ts',
      '../main.ts',
      '../cli/send.ts',
    ],
    passes: [
      '../core/event.ts',
      '../log/contract.ts',
      '../settings/settings.ts',
      '../http/server.ts',
      './parse.ts',
      'node:zlib',
    ],
  },
  {
    from: 'deliver/lane.ts',
    refused: [
      '../stores.ts',
      '../collect/parse.ts',
      '../people/contract.ts',
      '../admin/routes.ts',
      '../http/server.ts',
      '../stores/sqlite/log.ts',
      '../app.ts',
    ],
    passes: ['../core/delivery.ts', '../log/contract.ts', '../record/contract.ts', 'undici', 'node:net'],
  },
  {
    from: 'record/recorder.ts',
    refused: [
      '../stores.ts',
      '../deliver/lane.ts',
      '../collect/parse.ts',
      '../people/contract.ts',
      '../admin/routes.ts',
      '../stores/sqlite/records.ts',
      '../app.ts',
    ],
    passes: ['./contract.ts', '../core/delivery.ts', '../log/contract.ts'],
  },
  {
    from: 'admin/routes.ts',
    refused: ['../stores/sqlite/records.ts', '../stores.ts', '../app.ts', '../cli/send.ts'],
    passes: [
      './contract.ts',
      '../record/contract.ts',
      '../people/queries.ts',
      '../settings/settings.ts',
      '../http/server.ts',
    ],
  },
  ...['sqlite', 'jetstream', 'postgres', 'relational'].map((store) => ({
    from: `stores/${store}/log.ts`,
    refused: [
      '../../collect/parse.ts',
      '../../deliver/lane.ts',
      '../../record/recorder.ts',
      '../../admin/routes.ts',
      '../../http/server.ts',
      '../../cli/send.ts',
      '../../config.ts',
      '../../app.ts',
      '../../migration.ts',
      '../../folder-backup.ts',
      '../../migrate/move.ts',
      ...['sqlite', 'jetstream', 'postgres'].filter((other) => other !== store).map((other) => `../${other}/log.ts`),
      ...(store === 'jetstream' ? ['../relational/sql.ts'] : []),
    ],
    passes: [
      '../../log/contract.ts',
      '../../record/contract.ts',
      '../../migrate/contract.ts',
      '../../core/event.ts',
      ...(store === 'sqlite' || store === 'postgres' ? ['../relational/sql.ts'] : []),
      './rows.ts',
      'node:sqlite',
    ],
  })),
  {
    from: 'migrate/move.ts',
    refused: ['../people/people.ts', '../record/recorder.ts', '../stores/sqlite/log.ts', '../config.ts', '../app.ts'],
    passes: [
      './contract.ts',
      '../core/event.ts',
      '../log/contract.ts',
      '../log/stream-index.ts',
      '../people/contract.ts',
    ],
  },
  {
    from: 'import/run.ts',
    refused: ['../cli/client.ts', '../collect/parse.ts', '../config.ts', 'node:crypto', 'undici'],
    passes: ['./lines.ts', '../core/json.ts'],
  },
  {
    from: 'config.ts',
    refused: ['./collect/parse.ts', './stores/sqlite/log.ts', './observe/logger.ts', './log/contract.ts', './app.ts'],
    passes: ['./core/fault.ts', 'node:net'],
  },
  {
    from: 'cli/send.ts',
    refused: [
      '../app.ts',
      '../main.ts',
      '../deliver/lane.ts',
      '../collect/parse.ts',
      '../record/contract.ts',
      '../admin/routes.ts',
      '../stores/sqlite/log.ts',
      '../settings/settings.ts',
      '../observe/logger.ts',
    ],
    passes: [
      '../config.ts',
      '../core/event.ts',
      '../import/run.ts',
      '../deliver/signature.ts',
      '../admin/contract.ts',
      './terminal.ts',
      'commander',
      'node:fs',
    ],
  },
  ...['start', 'demo'].map((command) => ({
    from: `cli/${command}.ts`,
    refused: [
      '../main.ts',
      '../deliver/lane.ts',
      '../collect/parse.ts',
      '../stores/sqlite/log.ts',
      '../observe/metrics.ts',
    ],
    passes: [
      '../app.ts',
      '../config.ts',
      '../deliver/signature.ts',
      '../admin/contract.ts',
      '../observe/logger.ts',
      '../observe/log-output.ts',
    ],
  })),
  {
    from: 'cli/migrate.ts',
    refused: ['../app.ts', '../stores.ts', '../migrate/move.ts', '../stores/sqlite/log.ts', '../observe/logger.ts'],
    passes: ['../migration.ts', '../config.ts', '../core/event.ts'],
  },
  ...['backup', 'restore'].map((command) => ({
    from: `cli/${command}.ts`,
    refused: ['../app.ts', '../stores.ts', '../stores/sqlite/log.ts', '../observe/logger.ts'],
    passes: ['../folder-backup.ts', '../config.ts', '../admin/contract.ts'],
  })),
  {
    from: 'app.ts',
    refused: ['./main.ts', './cli/send.ts'],
    passes: [
      './config.ts',
      './collect/route.ts',
      './deliver/lane.ts',
      './record/recorder.ts',
      './stores/sqlite/log.ts',
    ],
  },
  {
    from: 'main.ts',
    refused: [],
    passes: ['./cli/start.ts', './app.ts', './config.ts', 'node:process'],
  },
  {
    from: '../../ui/src/pages/sources.ts',
    refused: [
      '../../../server/src/core/source.ts',
      '../../../server/src/admin/routes.ts',
      '@millrace/server',
      '@millrace/client',
    ],
    passes: [
      '../../../server/src/admin/contract.ts',
      '../../../server/src/core/departure.ts',
      '../../../server/src/core/reason.ts',
      '../../../server/src/core/send-error.ts',
      '../../../server/src/core/share.ts',
      '../../../server/src/import/run.ts',
      '../theme.ts',
      'react',
      '@mantine/core',
    ],
  },
  {
    from: '../../client/src/queue.ts',
    refused: ['../../server/src/core/event.ts', '@millrace/server', 'undici', 'node:http'],
    passes: ['./limits.ts'],
  },
  {
    from: '../../client/src/browser/beacon.ts',
    refused: ['../../../server/src/core/event.ts', 'undici'],
    passes: ['./storage.ts', '../limits.ts'],
  },
];

const PROCESS_USES = [
  "import { exit } from 'node:process';",
  'export const port = process.env.PORT;',
  'process.exit(1);',
  'export const { argv } = process;',
];

const PROCESS_REFUSED = [
  'packages/server/src/record/exit.ts',
  'packages/server/src/stores/sqlite/exit.ts',
  'packages/server/src/cli/exit.ts',
  'packages/server/src/exit.ts',
  'packages/client/src/exit.ts',
];

const PROCESS_PASSES = [
  'packages/server/bin/exit.js',
  'packages/server/src/collect/exit.test.ts',
  'bench/exit.ts',
  'test/exit.ts',
  'checks/exit.ts',
];

/** Every way to name another module. */
const FORMS: Readonly<Record<string, (target: string) => string>> = {
  import: (target) => `import '${target}';`,
  'import type': (target) => `import type { It } from '${target}';`,
  'export from': (target) => `export { it } from '${target}';`,
  'await import': (target) => `await import('${target}');`,
};

const SOURCES = 'packages/server/src';

/** Lines Biome refuses by the given rules, as `path:line`. */
let refusedLines: ReadonlySet<string>;

const field = new Field();

beforeAll(async () => {
  for (const { from, refused, passes } of LAYERS) {
    field.plant(`${SOURCES}/${from}`, linesOf([...refused, ...passes]).join('\n'));
  }
  for (const path of [...PROCESS_REFUSED, ...PROCESS_PASSES]) field.plant(path, PROCESS_USES.join('\n'));
  refusedLines = await lint(field.root);
});

afterAll(() => field[Symbol.dispose]());

test.each(LAYERS)('$from keeps to its layer', ({ from, refused, passes }) => {
  const path = normalize(join(SOURCES, from));
  const lines = linesOf([...refused, ...passes]);
  const found = lines.filter((_, index) => refusedLines.has(`${path}:${index + 1}`));
  expect(found).toEqual(linesOf(refused));
});

test.each(PROCESS_REFUSED)('%s may not look at the process', (path) => {
  expect(PROCESS_USES.filter((_, index) => refusedLines.has(`${path}:${index + 1}`))).toEqual(PROCESS_USES);
});

test.each(PROCESS_PASSES)('%s may look at the process', (path) => {
  expect([...refusedLines].filter((line) => line.startsWith(`${path}:`))).toEqual([]);
});

test('two modules may not import each other, not even their types', async () => {
  using pair = new Field();
  pair.plant(`${SOURCES}/log/a.ts`, "import type { B } from './b.ts';\n\nexport type A = B[];\n");
  pair.plant(`${SOURCES}/log/b.ts`, "import type { A } from './a.ts';\n\nexport type B = A | 1;\n");
  const { code, output } = await runTool('biome', ['ci', '.'], { cwd: pair.root });
  expect(output).toContain('lint/suspicious/noImportCycles');
  expect(code).toBe(1);
});

/** Each target in each form, a line each. */
function linesOf(targets: readonly string[]): string[] {
  return targets.flatMap((target) => Object.values(FORMS).map((form) => form(target)));
}

async function lint(root: string): Promise<ReadonlySet<string>> {
  const rules = ['noRestrictedImports', 'noRestrictedGlobals'].map((rule) => `--only=style/${rule}`);
  const args = ['lint', ...rules, '--reporter=github', '--max-diagnostics=none', '.'];
  const { code, output } = await runTool('biome', args, { cwd: root });
  expect(code).toBe(1);
  const places = output.matchAll(/^::error .*?file=([^,]+),line=(\d+)/gm);
  return new Set([...places].map(([, file = '', line]) => `${relative(root, resolve(root, file))}:${line}`));
}
