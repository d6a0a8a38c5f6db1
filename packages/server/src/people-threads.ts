import type { PeopleOptions } from './people/people.ts';
import type { PeopleQueries } from './people/queries.ts';
import type { Engines, PeoplePlace } from './people-worker.ts';
import { Thread, workerFile } from './threads/thread.ts';

const WORKER = workerFile(import.meta.url, './people-worker');

/** The threads of people/: one takes in and decides, the other, begun by the first question, answers people's questions. */
export interface PeopleThreads extends Pick<PeopleOptions, 'engine' | 'queries'> {
  /** Why they can't work any more until the process is restarted; null when they can. */
  broken(): string | null;
  close(): Promise<void>;
}

export function openPeopleThreads(place: PeoplePlace): PeopleThreads {
  const engines = new Thread<Engines>('people', place, WORKER);
  const leading = engines.part('leading');
  const changes = engines.part('changes');
  let asking: Thread<PeopleQueries> | null = null;
  const queries = (): Thread<PeopleQueries> => {
    asking ??= new Thread<PeopleQueries>('people-queries', place, WORKER);
    return asking;
  };
  return {
    engine: {
      open: () => engines.call('lead', []),
      look: () => changes.call('look', []),
      put: (...args) => changes.call('put', args),
      forget: (...args) => changes.call('forget', args),
      sync: (...args) => changes.call('sync', args),
      takeOut: (...args) => changes.call('takeOut', args),
      rebuild: (...args) => changes.call('rebuild', args),
      definitions: () => changes.call('definitions', []),
      take: (columns, now) => leading.call('take', [columns, now], [columns.bodies.buffer]),
      slide: (...args) => leading.call('slide', args),
      work: (...args) => leading.call('work', args),
      outbox: (...args) => leading.call('outbox', args),
      told: (...args) => leading.call('told', args),
      takeScanned: (columns, ...args) => leading.call('takeScanned', [columns, ...args], [columns.bodies.buffer]),
      erase: (...args) => leading.call('erase', args),
      erasure: (...args) => leading.call('erasure', args),
      sweep: (...args) => leading.call('sweep', args),
      compact: () => leading.call('compact', []),
    },
    queries: {
      lastPerson: () => queries().call('lastPerson', []),
      persons: () => queries().call('persons', []),
      count: (...args) => queries().call('count', args),
      tryTrait: (...args) => queries().call('tryTrait', args),
      suggest: (...args) => queries().call('suggest', args),
      find: (...args) => queries().call('find', args),
      members: (...args) => queries().call('members', args),
      findMembers: (...args) => queries().call('findMembers', args),
      sizes: (...args) => queries().call('sizes', args),
      person: (...args) => queries().call('person', args),
      events: (...args) => queries().call('events', args),
      why: (...args) => queries().call('why', args),
      reach: (...args) => queries().call('reach', args),
      notKept: (...args) => queries().call('notKept', args),
      joined: (...args) => queries().call('joined', args),
      countUnjoined: (...args) => queries().call('countUnjoined', args),
    },
    broken: () => engines.failure?.message ?? asking?.failure?.message ?? null,
    async close() {
      await asking?.end();
      await engines.end();
    },
  };
}
