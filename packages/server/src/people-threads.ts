import type { Engine } from './people/engine.ts';
import type { PeopleOptions } from './people/people.ts';
import type { PeopleQueries } from './people/queries.ts';
import { Thread } from './stores/sqlite/thread.ts';

// From source this file is .ts and the worker too; built, both are .js.
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './people-worker.ts' : './people-worker.js', import.meta.url);

/** The threads of people/: one takes in and decides, the other, begun by the first question, answers people's questions. */
export interface PeopleThreads extends Pick<PeopleOptions, 'engine' | 'queries'> {
  /** Why they can't work any more until the process is restarted; null when they can. */
  broken(): string | null;
  close(): Promise<void>;
}

export function openPeopleThreads(dataDir: string): PeopleThreads {
  const engine = new Thread<Engine>('people', dataDir, WORKER);
  let asking: Thread<PeopleQueries> | null = null;
  const queries = (): Thread<PeopleQueries> => {
    asking ??= new Thread<PeopleQueries>('people-queries', dataDir, WORKER);
    return asking;
  };
  return {
    engine: {
      open: () => engine.call('open', []),
      take: (columns, now) => engine.call('take', [columns, now], [columns.bodies.buffer]),
      slide: (...args) => engine.call('slide', args),
      work: (...args) => engine.call('work', args),
      put: (...args) => engine.call('put', args),
      forget: (...args) => engine.call('forget', args),
      sync: (...args) => engine.call('sync', args),
      definitions: () => engine.call('definitions', []),
      outbox: (...args) => engine.call('outbox', args),
      told: (...args) => engine.call('told', args),
      rebuild: (...args) => engine.call('rebuild', args),
      takeScanned: (columns, ...args) => engine.call('takeScanned', [columns, ...args], [columns.bodies.buffer]),
      erase: (...args) => engine.call('erase', args),
      erasure: (...args) => engine.call('erasure', args),
      sweep: (...args) => engine.call('sweep', args),
      compact: () => engine.call('compact', []),
    },
    queries: {
      lastPerson: () => queries().call('lastPerson', []),
      persons: () => queries().call('persons', []),
      count: (...args) => queries().call('count', args),
      tryTrait: (...args) => queries().call('tryTrait', args),
      find: (...args) => queries().call('find', args),
      members: (...args) => queries().call('members', args),
      sizes: (...args) => queries().call('sizes', args),
      person: (...args) => queries().call('person', args),
      why: (...args) => queries().call('why', args),
    },
    broken: () => engine.failure?.message ?? asking?.failure?.message ?? null,
    async close() {
      await asking?.end();
      await engine.end();
    },
  };
}
