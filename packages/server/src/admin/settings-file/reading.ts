import pLimit from 'p-limit';
import type { Timer } from '../../core/timer.ts';
import { Thread, workerFile } from '../../threads/thread.ts';
import type { NewSettings } from '../contract.ts';
import { refuse } from '../input.ts';
import { places } from '../places.ts';
import { type ReadPlan, refuseFile } from './check.ts';
import type { Current, WriteOptions } from './document.ts';
import type { Files } from './settings-file-worker.ts';

/** Parsing and writing take about a microsecond per character. On a thread of its own this delays no request. */
const WORKER = workerFile(import.meta.url, './settings-file-worker');
/** Far above the need: a file of 500,000 characters takes less than a second. */
const DEADLINE_MS = 20_000;
/** Megabytes for reading a file. A file of 2,000 destinations needs half of it. */
const MEMORY = 64;
/** The most files being worked on or waiting: of all callers, and of one, so that one caller does not block the others. */
const MOST_WAITING = { all: 8, ofOne: 2, what: 'settings files are in work', advice: 'Wait for one', retryAfter: 5 };
/** An idle thread is kept this long: a file is first planned and then applied, and starting a thread takes longer than reading. */
const KEPT_MS = 10_000;

/** Reads and writes settings files, one at a time, on threads that end after `KEPT_MS` without work. */
export class SettingsFiles {
  readonly #clock: Timer;
  readonly #files = pLimit(1);
  readonly #takePlace = places(MOST_WAITING);
  /** The threads, by memory limit in megabytes. */
  readonly #kept = new Map<number | undefined, Thread<Files>>();
  #stay: () => void = () => undefined;

  constructor(clock: Timer) {
    this.#clock = clock;
  }

  /** @throws InvalidInput naming the errors of the file; Fault `overloaded` if too many files are waiting. */
  async read(file: NewSettings, current: Current, who: string): Promise<ReadPlan> {
    const plan = await this.#inTurn(who, MEMORY, (thread) =>
      thread.remote.readPlan(file, current).catch((error: unknown) => {
        if (thread.failure === null) throw error;
        return refuse('yaml', 'takes too much time or memory to be read: make several files of it');
      }),
    );
    return 'errors' in plan ? refuseFile(plan) : plan;
  }

  /** @throws Fault `overloaded` as `read` does. */
  write(current: Current, options: WriteOptions, who: string): Promise<string> {
    return this.#inTurn(who, undefined, (thread) => thread.remote.writeSettings(current, options));
  }

  async #inTurn<T>(who: string, memory: number | undefined, work: (thread: Thread<Files>) => Promise<T>): Promise<T> {
    const leave = this.#takePlace(who);
    try {
      return await this.#files(() => this.#onThread(memory, work));
    } finally {
      leave();
    }
  }

  async #onThread<T>(memory: number | undefined, work: (thread: Thread<Files>) => Promise<T>): Promise<T> {
    this.#stay();
    const thread = this.#kept.get(memory) ?? new Thread<Files>('settings-file', () => null, WORKER, memory);
    this.#kept.set(memory, thread);
    const cancel = this.#clock.after(DEADLINE_MS, () => void thread.kill());
    try {
      return await work(thread);
    } finally {
      cancel();
      if (thread.failure !== null) this.#kept.delete(memory);
      this.#stay = this.#clock.after(KEPT_MS, () => void this.close());
    }
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    this.#stay();
    const threads = [...this.#kept.values()];
    this.#kept.clear();
    await Promise.all(threads.map((thread) => thread.kill()));
  }
}
