import type { Clock } from '../../core/clock.ts';
import { Fault } from '../../core/fault.ts';
import { Thread, workerFile } from '../../threads/thread.ts';
import type { NewSettings } from '../contract.ts';
import { refuse } from '../input.ts';
import { type ReadPlan, refuseFile } from './check.ts';
import type { Current } from './document.ts';
import type { Files } from './worker.ts';

/** Parsing a file takes a microsecond a character: on a thread of its own it holds up nobody. */
const WORKER = workerFile(import.meta.url, './worker');
/** A file of 500,000 characters takes less than a second. */
const DEADLINE_MS = 20_000;
/** Megabytes; a file of 2,000 destinations takes half of it. */
const MEMORY = 64;
const MOST_WAITING = 4;

/** Reads settings files, one at a time, each on a thread that ends with it. */
export type ReadFile = (file: NewSettings, current: Current) => Promise<ReadPlan>;

/** @throws InvalidInput naming what is wrong with a file; Fault `overloaded` when others are being read. */
export function createReadFile(clock: Pick<Clock, 'after'>): ReadFile {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return async (file, current) => {
    if (waiting >= MOST_WAITING) {
      throw new Fault('overloaded', 'Other settings files are being read.', { retryAfter: 5 });
    }
    waiting += 1;
    const read = last.then(() => readOnThread(file, current, clock));
    last = read.catch(() => undefined);
    try {
      return await read;
    } finally {
      waiting -= 1;
    }
  };
}

async function readOnThread(file: NewSettings, current: Current, clock: Pick<Clock, 'after'>): Promise<ReadPlan> {
  const thread = new Thread<Files>('settings-file', null, WORKER, MEMORY);
  const cancel = clock.after(DEADLINE_MS, () => void thread.kill());
  try {
    const read = await thread.call('readPlan', [file, current]).catch((error: unknown) => {
      if (thread.failure === null) throw error;
      return refuse('yaml', 'takes too much time or memory to be read: make several files of it');
    });
    if ('errors' in read) refuseFile(read);
    return read;
  } finally {
    cancel();
    await thread.kill();
  }
}
