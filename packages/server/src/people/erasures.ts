import { pause, unlessAborted } from '../core/pause.ts';
import type { Offsets } from '../core/position.ts';
import type { ProfileErasure } from './contract.ts';
import type { Engine } from './engine.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface ErasuresOptions extends Pick<PeopleWorld, 'end' | 'clock'> {
  readonly engine: Pick<Engine, 'erase' | 'erasure' | 'sweep' | 'compact'>;
  /** Whether everything up to these offsets, which the log has reached, was taken in. */
  readonly isTakenIn: (through: Offsets) => Promise<boolean>;
  /** Resolves when no message is being sent; called while `isHeld`. */
  readonly sent: () => Promise<void>;
  readonly step: Step;
}

/** A request that waits until persons are erased. */
interface Asked {
  readonly id: string;
  readonly userIds: readonly string[];
  readonly signal: AbortSignal;
  readonly done: PromiseWithResolvers<ProfileErasure>;
  /** The offsets up to which calls must have been taken in; null until they are known. */
  through: Offsets | null;
  /** Whether nothing after these offsets is taken in. */
  held: boolean;
}

/** Wait where a reader has a file open that must be truncated, or where not everything is taken in yet. */
const RETRY_MS = 20;

/**
 * Erases persons between what was accepted before a moment of the log and what comes after it, which is another life of theirs:
 *
 * 1. Everything that the log holds at first is taken in while all goes on as ever: that may take long.
 * 2. Nothing is sent from then on, so that no call about these persons comes after that moment, which is the log's end then.
 *    Everything up to it is taken in, and nothing beyond it.
 * 3. The persons are erased, what waits to be sent about them too; all goes on.
 *
 * Until `finish` no rebuild reads the log, which still holds what they did.
 */
export class Erasures {
  readonly #options: ErasuresOptions;
  readonly #asked: Asked[] = [];

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /** Whether nothing may be sent. */
  get isHeld(): boolean {
    return this.#asked[0]?.held ?? false;
  }

  /** Nothing after these offsets may be taken in; null where there is no such bound. */
  get through(): Offsets | null {
    return (this.isHeld ? this.#asked[0]?.through : null) ?? null;
  }

  /**
   * Erases the persons of these users; one that was erased under this id before, and not finished, stays as it was.
   *
   * @throws The signal's reason when that aborts.
   */
  async erase(id: string, userIds: readonly string[], signal: AbortSignal): Promise<ProfileErasure> {
    signal.throwIfAborted();
    const done = Promise.withResolvers<ProfileErasure>();
    const asked: Asked = { id, userIds, signal, done, through: null, held: false };
    this.#asked.push(asked);
    try {
      return await unlessAborted(signal, done.promise);
    } finally {
      this.#asked.splice(this.#asked.indexOf(asked), 1);
    }
  }

  /** A rebuild reads the log, or is about to: what was begun starts again after it. */
  release(): void {
    const [asked] = this.#asked;
    if (asked) Object.assign(asked, { through: null, held: false });
  }

  /** Answers the requests for erasures that are done; a rebuild waits until these are finished. */
  async recall(): Promise<void> {
    for (const { id, done } of this.#asked) {
      const known = await this.#options.engine.erasure(id);
      if (known) done.resolve(known);
    }
    await this.#pause();
  }

  /** Works on the first request; answers whether there is one. Does nothing while a rebuild reads the log. */
  async turn(): Promise<boolean> {
    const [asked] = this.#asked;
    if (!asked) return false;
    try {
      await this.#advance(asked);
    } catch (error) {
      asked.done.reject(error);
    }
    return true;
  }

  /**
   * Removes the events of an erasure's persons, and ends the erasure. The log must no longer contain their events.
   *
   * @throws The signal's reason when that aborts.
   */
  async finish(id: string, signal: AbortSignal): Promise<void> {
    const { engine, step, clock } = this.#options;
    while (await engine.erasure(id)) {
      signal.throwIfAborted();
      await step(engine.sweep(id, clock.now()));
    }
  }

  /**
   * When it resolves, no file contains anything of erased persons.
   *
   * @throws The signal's reason when that aborts.
   */
  async compact(signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    while (!(await engine.compact())) {
      signal.throwIfAborted();
      await this.#pause();
    }
  }

  async #advance(asked: Asked): Promise<void> {
    const { engine, isTakenIn, end, sent, step, clock } = this.#options;
    const { id, userIds, done } = asked;
    const known = await engine.erasure(id);
    if (known) return done.resolve(known);
    asked.through ??= await end();
    if (!(await isTakenIn(asked.through))) return this.#pause();
    if (!asked.held) {
      asked.held = true;
      await sent();
      asked.through = await end();
      return;
    }
    await step(engine.erase(id, userIds, asked.through, clock.now()));
  }

  #pause(): Promise<void> {
    return pause(RETRY_MS, undefined, this.#options.clock);
  }
}
