import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from './compiler.ts';
import type { Figures } from './figures.ts';
import type { Options } from './options.ts';
import { Processes } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** What every scenario is given. */
export interface Bench {
  readonly options: Options;
  /** Those of one scenario: what is left of them is ended after it. */
  readonly processes: Processes;
  readonly receiver: Receiver;
  readonly figures: Figures;
  /** Library to preload where every sync is to take 4 ms; null where it could not be compiled. */
  readonly slowSync: string | null;
  /** Runs `work` with an empty folder on the disk that is measured, and removes it afterwards. */
  withFolder<Result>(work: (folder: string) => Promise<Result>): Promise<Result>;
}

/** Starts what all scenarios share, runs `work`, and ends every process and removes every file, also after a failure. */
export async function withBench(
  options: Options,
  figures: Figures,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const shared = new Processes();
  const processes = new Processes();
  const cleanUp = async (): Promise<void> => {
    await Promise.all([processes.close(), shared.close()]);
    await rm(root, { recursive: true, force: true });
  };
  const slowSync = join(import.meta.dirname, 'native/slow-sync.c');
  const interrupt = (): void => void cleanUp().finally(() => process.exit(130));
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  try {
    await work({
      options,
      processes,
      figures,
      receiver: await startReceiver(shared, root),
      slowSync: process.platform === 'linux' ? await compile(slowSync, root, '-shared', '-fPIC') : null,
      async withFolder(use) {
        const folder = await mkdtemp(join(root, 'data-'));
        try {
          return await use(folder);
        } finally {
          await rm(folder, { recursive: true, force: true });
        }
      },
    });
  } finally {
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
    await cleanUp();
  }
}
