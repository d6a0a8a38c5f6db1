import { keptToken } from './admin-token.ts';
import type { Config } from './config.ts';
import { type Moved, type MoveOptions, move } from './migrate/move.ts';
import { shardOfSource } from './stores/jetstream/position.ts';
import { openStreamImporter } from './stores/jetstream/stream-importer.ts';
import { openImporter } from './stores/postgres/importer.ts';
import { openExporter } from './stores/sqlite/exporter.ts';
import { partitionLength, rulesOf, streamSettings } from './stores.ts';

export type MigrationOptions = Pick<MoveOptions, 'signal' | 'progress'> & {
  /** Called with errors that are retried. */
  readonly report: (error: unknown) => void;
};

/**
 * Moves a data folder to the NATS and PostgreSQL in the settings.
 *
 * @throws Error that says what can't be used and how to fix it.
 */
export async function migrateFolder(
  config: Config & { readonly natsUrl: string; readonly databaseUrl: string },
  { signal, progress, report }: MigrationOptions,
): Promise<Moved> {
  const { dataDir, natsUrl, databaseUrl, nodeTimeout } = config;
  const exporter = openExporter(dataDir);
  try {
    const importer = await openImporter({
      url: databaseUrl,
      partitionLength: partitionLength(config),
      placeholderIds: rulesOf(config).placeholderIds,
      shardOf: (sourceId) => shardOfSource(sourceId, config.natsStreams),
    });
    try {
      const stream = await openStreamImporter({
        ...{ ...streamSettings(config), url: natsUrl, ackWait: nodeTimeout, report },
        cluster: await importer.cluster(),
      });
      try {
        const adminToken = await keptToken(dataDir);
        return await move({ exporter, importer, stream, adminToken, signal, progress });
      } finally {
        await stream.close();
      }
    } finally {
      await importer.close();
    }
  } finally {
    exporter.close();
  }
}
