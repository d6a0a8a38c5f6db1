import { Engine } from './people/engine.ts';
import { PeopleQueries } from './people/queries.ts';
import { openProfileReader, openProfileStore } from './stores/sqlite/profile-store.ts';
import { serve } from './stores/sqlite/thread.ts';

/** The store and what decides with it live on one thread: views of persons never cross to another. */
serve((role, data) => {
  const dataDir = data as string;
  if (role === 'people') return new Engine(openProfileStore(dataDir));
  const { reader, close } = openProfileReader(dataDir);
  return new PeopleQueries(reader, close);
});
