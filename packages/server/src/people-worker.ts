import { platform, setPriority } from 'node:os';
import { Engine } from './people/engine.ts';
import type { IdentityRules } from './people/identity-rules.ts';
import type { PeopleEngines } from './people/people.ts';
import { PeopleQueries } from './people/queries.ts';
import { releaseMemory } from './stores/sqlite/database.ts';
import { toFault } from './stores/sqlite/failure.ts';
import { openProfileReader, openProfileStore } from './stores/sqlite/profile-store.ts';
import { serve } from './threads/thread.ts';

/**
 * A low priority, so that deliveries go first: under full load the profiles lag, and catch up later. Only Linux has priorities of
 * threads; elsewhere this would change the whole process.
 */
const YIELDING = 10;
if (platform() === 'linux') setPriority(YIELDING);

/** Where the profiles are: in the data folder of a single process, or in a database that nodes share. */
export type PeoplePlace = ({ readonly dataDir: string } | { readonly databaseUrl: string }) & {
  readonly identity?: IdentityRules;
};

/** `leading` and `changes` are the same engine in a single process. */
export interface Engines extends PeopleEngines<Engine> {
  close(): Promise<void>;
}

/** The store and the engine are on one thread, so that profiles need not be copied between threads. */
await serve(
  (role, data) => {
    const place = data as PeoplePlace;
    return role === 'people' ? openEngines(place) : openQueries(place);
  },
  toFault,
  releaseMemory,
);

async function openEngines(place: PeoplePlace): Promise<Engines> {
  if ('dataDir' in place) {
    const engine = new Engine(openProfileStore(place.dataDir), undefined, place.identity);
    return { leading: engine, changes: engine, lead: async () => undefined, close: () => engine.close() };
  }
  const { openProfileStores } = await openDatabase();
  const stores = openProfileStores(place.databaseUrl);
  const leading = new Engine(stores.leading, undefined, place.identity);
  const changes = new Engine(stores.changes, undefined, place.identity);
  return {
    leading,
    changes,
    lead: () => stores.leading.lead(),
    async close() {
      await Promise.all([leading.close(), changes.close()]);
      await stores.close();
    },
  };
}

async function openQueries(place: PeoplePlace): Promise<PeopleQueries> {
  const { reader, close } =
    'dataDir' in place ? openProfileReader(place.dataDir) : (await openDatabase()).openProfileReader(place.databaseUrl);
  return new PeopleQueries(reader, close);
}

/** Imported only if needed: a single process does not load the database client. */
function openDatabase(): Promise<typeof import('./stores/postgres/profile-store.ts')> {
  return import('./stores/postgres/profile-store.ts');
}
