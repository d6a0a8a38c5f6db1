import type { PeopleOptions } from './people/people.ts';
import type { PeopleQueries } from './people/queries.ts';
import type { Engines, PeoplePlace } from './people-worker.ts';
import { Thread, workerFile } from './threads/thread.ts';

const WORKER = workerFile(import.meta.url, './people-worker');

/** The threads of people/: one takes in calls and decides, the other answers queries. */
export interface PeopleThreads {
  readonly threads: PeopleOptions['threads'];
  /** Why the threads are unusable until the process restarts; null if they work. */
  broken(): string | null;
  close(): Promise<void>;
}

export function openPeopleThreads(place: PeoplePlace): PeopleThreads {
  const engines = new Thread<Engines>('people', () => place, WORKER);
  const asking = new Thread<PeopleQueries>('people-queries', () => place, WORKER);
  return {
    threads: { engines: engines.remote, queries: asking.remote },
    broken: () => engines.failure?.message ?? asking.failure?.message ?? null,
    async close() {
      await asking.end();
      await engines.end();
    },
  };
}
