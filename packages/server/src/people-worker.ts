import { platform, setPriority } from 'node:os';
import { Engine } from './people/engine.ts';
import { PeopleQueries } from './people/queries.ts';
import { openProfileReader, openProfileStore } from './stores/sqlite/profile-store.ts';
import { serve } from './stores/sqlite/thread.ts';

/**
 * Deliveries go first: under a load that fills the processors, what is known of persons lags, and catches up after it. Linux
 * alone has priorities of threads; elsewhere this one would be the process's.
 */
const YIELDING = 10;
if (platform() === 'linux') setPriority(YIELDING);

/** The store and what decides with it live on one thread: views of persons never cross to another. */
serve((role, data) => {
  const dataDir = data as string;
  if (role === 'people') return new Engine(openProfileStore(dataDir));
  const { reader, close } = openProfileReader(dataDir);
  return new PeopleQueries(reader, close);
});
