import { keptToken } from './admin-token.ts';
import type { Config } from './config.ts';
import { type Moved, type MoveOptions, move } from './migrate/move.ts';
import { openArrivalStream } from './stores/jetstream/arrival.ts';
import { openArrival } from './stores/postgres/arrival.ts';
import { openDeparture } from './stores/sqlite/departure.ts';
import { partitionLength, rulesOf, streamSettings } from './stores.ts';

export type MigrationOptions = Pick<MoveOptions, 'signal' | 'progress'> & {
  /** Is told of what fails and is tried again. */
  readonly report: (error: unknown) => void;
};

/**
 * Moves what is in the data folder to the NATS and PostgreSQL that the settings name.
 *
 * @throws Error that says what can't be used and how to put it right.
 */
export async function migrateFolder(
  config: Config & { readonly natsUrl: string; readonly databaseUrl: string },
  { signal, progress, report }: MigrationOptions,
): Promise<Moved> {
  const { dataDir, natsUrl, databaseUrl, nodeTimeout } = config;
  const departure = openDeparture(dataDir);
  try {
    const stream = await openArrivalStream({ ...streamSettings(config), url: natsUrl, ackWait: nodeTimeout, report });
    try {
      const arrival = await openArrival({
        url: databaseUrl,
        partitionLength: partitionLength(config),
        placeholderIds: rulesOf(config).placeholderIds,
        shardOf: (sourceId) => stream.shardOf(sourceId),
      });
      try {
        const adminToken = await keptToken(dataDir);
        return await move({ departure, arrival, stream, adminToken, signal, progress });
      } finally {
        await arrival.close();
      }
    } finally {
      await stream.close();
    }
  } finally {
    departure.close();
  }
}
