import { JUMP_NOTICED_MS, Loop } from '../core/loop.ts';
import { pause, within } from '../core/pause.ts';
import type { Offsets } from '../core/position.ts';
import type { Reached } from '../core/reached.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import { firstInARow, Trouble } from '../core/trouble.ts';
import type { EntryPage } from '../log/contract.ts';
import type { ProfileErasure } from './contract.ts';
import { Definitions } from './definitions.ts';
import type { Engine } from './engine.ts';
import { type EngineStatus, NOTHING_TO_DO } from './engine-status.ts';
import { type EntryColumns, packEntries } from './entries.ts';
import { Erasures } from './erasures.ts';
import { expire } from './expiry.ts';
import { Feed } from './feed.ts';
import { inTurns, type Questions } from './questions.ts';
import { Scanned } from './scanned.ts';
import { seldom } from './seldom.ts';
import { OUTBOX_PAGE, Sending } from './sending.ts';
import { repairSources } from './source-repair.ts';
import type { PeopleWorld, Step } from './world.ts';

export interface PeopleOptions extends PeopleWorld {
  /** The engines and queries on their threads. */
  readonly threads: {
    readonly engines: PeopleEngines<Omit<Engine, 'close'>>;
    readonly queries: Questions;
  };
  /** How long profiles are kept, milliseconds; null for ever. */
  readonly keep: number | null;
  /** Calls `changed` when another process has changed something; absent where there is no other process. The answered function ends that. */
  readonly watch?: (changed: () => Promise<void>) => () => void;
}

/** The engines of a process: one for what only the leading process may do, the other for what every process may do. */
export interface PeopleEngines<E> {
  readonly leading: E;
  readonly changes: E;
  /** From now on the leading engine of this process may write, and that of another process no longer. */
  lead(): Promise<void>;
}

/** Counts about the profiles. */
export interface PeopleState {
  readonly persons: number;
  /** Accepted calls that are not taken in yet, without those that a rebuild will read. */
  readonly lag: number;
  /** Messages that are not sent yet. */
  readonly outbox: number;
  /** The share of the log (0 to 1) that a rebuild has read since this process started; null where none is under way. */
  readonly rebuilding: number | null;
}

/** Up to this number, persons and calls that are not taken in are counted anew for each question. */
const MANY = 100_000;
/** Most job steps between two pages of calls. */
const JOB_STEPS = 100;
/** Messages that come in this time are sent with the next page: each page costs a transaction. */
const LINGER_MS = 50;
/** Longest wait of a question for calls that are still in the log: while the feed may rest, and in a flood of live calls. */
const CATCH_UP_MS = 1_000;
const CATCH_UP_LIVE_MS = 300;
/** Wait after an error. */
const RETRY_MS = 1_000;
const DAY = 86_400_000;

/**
 * The stage. It takes in the log, decides what is due, works on jobs in between, and sends the resulting calls through the
 * collector. Of several processes the leading one is started, and started again when it leads again. Every process answers
 * questions, changes definitions and follows the changes of others. An erasure waits until the process that was asked for it
 * leads.
 */
export class People implements Service {
  readonly definitions: Definitions;
  /** Questions about persons, by who asks; see questions.ts. Before each, the feed takes in what the log has. */
  readonly questions: (who: string) => Questions;
  /** The state for a scrape of /metrics: the feed goes on resting. */
  readonly observed: () => Promise<PeopleState>;
  readonly #options: PeopleOptions;
  readonly #erasures: Erasures;
  readonly #sending: Sending;
  /** Reads the log while this process leads, and nothing otherwise. */
  #feed: Feed;
  /** The offsets at which the rebuild under way ends, and how far it has read. */
  #rebuildsTo: Offsets | null = null;
  #scanned = new Scanned();
  readonly #persons: () => Promise<number>;
  #status = NOTHING_TO_DO;
  #leading = false;
  /** Calls off the repair of sources. Null while the work is not begun. */
  #callOff: (() => void) | null = null;
  readonly #loops: readonly Loop[];
  readonly #troubles: Trouble[] = [];
  readonly #expiry: Recurring;

  /** Waits for a step of the leading engine, and notes its status. */
  readonly #step: Step = async (step) => {
    const status = await step;
    this.#note(status);
    return status;
  };

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.#loops = [
      this.#loop('the calls could not be taken in', (signal) => this.#turn(signal)),
      this.#loop('the calls of audiences and traits could not be sent', (signal) => this.#sendAndRest(signal)),
    ];
    this.questions = inTurns(options.threads.queries, () => this.#catchUp());
    const { clock, report } = options;
    const { leading, changes } = options.threads.engines;
    const run = (signal: AbortSignal): Promise<void> =>
      this.#expire(signal).catch((error: unknown) => {
        if (!signal.aborted) report(error, 'old events could not be forgotten; trying again tomorrow');
      });
    this.#expiry = new Recurring({ clock, every: DAY, run });
    this.#persons = seldom(() => options.threads.queries.persons(), {
      clock,
      share: 0.01,
      keeps: (persons) => persons > MANY,
    });
    this.observed = seldom(() => this.#ask(), { clock, share: 0.1, keeps: ({ lag }) => lag > MANY });
    this.definitions = new Definitions({
      ...options,
      engine: {
        definitions: () => changes.definitions(),
        put: async (...change) => {
          await this.#catchUp();
          return this.#changed(changes.put(...change));
        },
        forget: (id, now, revision) => this.#changed(changes.forget(id, now, revision)),
        sync: (id, now) => this.#changed(changes.sync(id, now)),
      },
    });
    this.#sending = new Sending({
      ...options,
      engine: leading,
      definitions: () => changes.definitions(),
      isHeld: () => this.#erasures.isHeld,
      step: this.#step,
    });
    this.#feed = new Feed(options, () => this.#ring());
    this.#erasures = new Erasures({
      ...options,
      engine: leading,
      isTakenIn: async (through) => {
        const isBehind = await this.#feed.isBehind(this.#status.reached, through);
        if (isBehind) this.#feed.hurry();
        return !isBehind;
      },
      sent: () => this.#sending.over(),
      step: this.#step,
    });
  }

  async start(): Promise<void> {
    if (this.#callOff) return;
    const { threads, report } = this.#options;
    await threads.engines.lead();
    const callOff = await repairSources({
      ...this.#options,
      definitions: () => this.definitions.list(),
      report: (error) => report(error, 'sources without an audience or trait could not be removed'),
    });
    this.#rebuildsTo = null;
    this.#feed = new Feed(this.#options, () => this.#ring());
    this.#note(await threads.engines.leading.look());
    this.#leading = true;
    this.#callOff = callOff;
    await this.#expiry.start();
    for (const loop of this.#loops) await loop.start();
  }

  /** Resolves after the step under way; the rest is done after the next start. */
  async stop(): Promise<void> {
    const callOff = this.#callOff;
    if (!callOff) return;
    this.#callOff = null;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
    await this.#expiry.stop();
    this.#leading = false;
    for (const trouble of this.#troubles) trouble.over();
    callOff();
    this.#feed.stop();
    // The next leading process starts these erasures again.
    this.#erasures.release();
  }

  /** Follows changes of other processes from now on, whether this process leads or not; the answered function ends that. */
  follow(): () => void {
    const { watch, report } = this.#options;
    const looked = firstInARow((error) => report(error, 'a change of another node could not be read'));
    // Not awaited: a look-up of a write key must not wait for the step under way.
    return watch?.(async () => void this.#look().then(() => looked(), looked)) ?? (() => undefined);
  }

  /** What this process could not do at its last try, in words; null where nothing failed. It tries again every second. */
  trouble(): string | null {
    return this.#troubles.map((trouble) => trouble.words()).find((words) => words !== null) ?? null;
  }

  /** The status after the last step. */
  status(): EngineStatus {
    return this.#status;
  }

  /** The state for a person who asks: the feed ends its rest and takes in what the log has. */
  state(): Promise<PeopleState> {
    this.#feed.hurry();
    return this.observed();
  }

  /** The offsets up to which the log is taken in, on whichever node: what comes after them must stay in it. The feed ends its rest. */
  async takenIn(): Promise<Offsets> {
    await this.#catchUp();
    if (!this.#leading) await this.#look();
    return this.#feed.takenIn(this.#status.reached);
  }

  async #ask(): Promise<PeopleState> {
    const { clock } = this.#options;
    if (!this.#leading) await this.#look();
    const { outbox, rebuilding, reached } = this.#status;
    const [persons, lag] = await Promise.all([this.#persons(), rebuilding ? 0 : this.#feed.waiting(reached)]);
    return { persons, lag, outbox, rebuilding: rebuilding ? this.#scanned.share(clock.now()) : null };
  }

  /** Removes all persons and takes in the whole log again. What was sent last stays known. */
  async rebuild(): Promise<void> {
    const { threads, clock } = this.#options;
    this.#scanned = new Scanned();
    this.#rebuildsTo = null;
    await this.#changed(threads.engines.changes.rebuild(clock.now()));
  }

  /**
   * Erases the persons of these users with all their ids, and the messages about them that are not sent. Until the erasure is
   * finished, also after a restart, the same id gets the same answer. See erasures.ts.
   *
   * @throws The signal's reason when that aborts.
   */
  async erase(id: string, userIds: readonly string[], signal: AbortSignal): Promise<ProfileErasure> {
    const erased = this.#erasures.erase(id, userIds, signal);
    this.#ring();
    try {
      return await erased;
    } finally {
      this.#ring();
    }
  }

  /** Takes an id out of its person; see Engine.takeOut. */
  async takeOut(id: string): Promise<void> {
    const { threads, clock } = this.#options;
    await this.#changed(threads.engines.changes.takeOut(id, clock.now()));
  }

  /** The persons that an erasure of these users would remove now. */
  reach(userIds: readonly string[]): Promise<Reached> {
    return this.questions('deletions').reach(userIds);
  }

  /** Ends an erasure: what its persons did is removed. @throws The signal's reason. */
  finishErasure(id: string, signal: AbortSignal): Promise<void> {
    return this.#erasures.finish(id, signal);
  }

  /** See Erasures.compact. @throws The signal's reason. */
  compact(signal: AbortSignal): Promise<void> {
    return this.#erasures.compact(signal);
  }

  /** Repeats `turn`, which answers whether there may be more to do at once. `what`: what did not happen when a turn rejects. */
  #loop(what: string, turn: (signal: AbortSignal) => Promise<boolean>): Loop {
    const { clock, report } = this.#options;
    const trouble = new Trouble(what, report);
    this.#troubles.push(trouble);
    return new Loop(clock, async (signal) => {
      try {
        const isMore = await turn(signal);
        trouble.over();
        return isMore ? 0 : this.#untilDue();
      } catch (error) {
        if (!signal.aborted) trouble.failed(error);
        await pause(RETRY_MS, signal, clock);
        return 0;
      }
    });
  }

  #untilDue(): number {
    const { nextDue } = this.#status;
    if (nextDue === null) return Number.POSITIVE_INFINITY;
    return Math.min(Math.max(1, nextDue - this.#options.clock.now()), JUMP_NOTICED_MS);
  }

  /** Removes what is older than profiles are kept. @throws The signal's reason. */
  async #expire(signal: AbortSignal): Promise<void> {
    const { clock, keep, threads } = this.#options;
    if (keep !== null) await expire({ clock, engine: threads.engines.leading, step: this.#step }, keep, signal);
  }

  #ring(): void {
    for (const loop of this.#loops) loop.ring();
  }

  async #catchUp(): Promise<void> {
    const { live, rebuilding } = this.#status;
    if (!this.#leading || rebuilding) return;
    // An error of the log is reported where the log is read. The question is answered by what was taken in.
    const caughtUp = this.#feed.caughtUp().catch(() => undefined);
    await within(live ? CATCH_UP_LIVE_MS : CATCH_UP_MS, caughtUp, () => undefined, this.#options.clock);
  }

  /** Resolves when this process knows of the change, or is busy with a longer step. */
  async #changed<T>(change: Promise<T>): Promise<T> {
    await change;
    await within(CATCH_UP_MS, this.#look(), () => undefined, this.#options.clock);
    return change;
  }

  /**
   * While this process leads, only its leading engine reports the status: the answers of one engine come in order, and an answer
   * of the other engine may be older.
   */
  async #look(): Promise<void> {
    const { leading, changes } = this.#options.threads.engines;
    if (this.#leading) return void (await this.#step(leading.look()));
    const status = await changes.look();
    if (this.#leading) await this.#step(leading.look());
    else this.#note(status);
  }

  /** One step of each kind that has work, so that no kind waits for all the work of another. */
  async #turn(signal: AbortSignal): Promise<boolean> {
    const { threads, clock } = this.#options;
    const engine = threads.engines.leading;
    const { rebuilding, reached } = this.#status;
    if (rebuilding) {
      this.#erasures.release();
      // The log may still have events of erased persons.
      if (this.#status.erasing) {
        await this.#erasures.recall();
        return true;
      }
      this.#rebuildsTo ??= await this.#options.end();
    }
    const page = await this.#feed.page(reached, rebuilding ? this.#rebuildsTo : this.#erasures.through);
    const begun = clock.now();
    if (page) await this.#step(engine.take(await this.#packed(page), clock.now(), reached));
    if (rebuilding) {
      if (page) {
        this.#scanned.note(page);
        return true;
      }
      // The log may hold what is older than profiles are kept: of that nothing is decided.
      await this.#expire(signal);
      this.#rebuildsTo = null;
      await this.#step(engine.rebuilt(reached, clock.now()));
    }
    const took = clock.now() - begun;
    const { nextDue, working } = this.#status;
    const due = nextDue !== null && nextDue <= clock.now();
    if (due) await this.#step(engine.slide(clock.now()));
    // In a flood of calls a job gets twice the time of the calls: their lag depends on the whole cost of the job, however it is
    // spread.
    const until = clock.now() + 2 * took;
    for (let i = 0; i < JOB_STEPS && this.#status.working && (i === 0 || clock.now() < until); i++) {
      await this.#step(engine.work(clock.now()));
    }
    const erased = await this.#erasures.turn();
    return page !== null || due || working || erased;
  }

  /** A deleted source does not count as a server source. A source that is not known here may be new: then the settings are read first. */
  async #packed(page: EntryPage): Promise<EntryColumns> {
    const { settings, caughtUp } = this.#options;
    const isUnknown = page.sources.some((id) => !settings.source(id));
    if (isUnknown && !(await caughtUp())) throw new Error('what other nodes have changed could not be heard');
    return packEntries(page, (id) => settings.source(id)?.type === 'server');
  }

  async #sendAndRest(signal: AbortSignal): Promise<boolean> {
    if (this.#status.outbox === 0 || this.#erasures.isHeld) return false;
    const count = await this.#sending.page(signal);
    if (count > 0 && count < OUTBOX_PAGE) await pause(LINGER_MS, signal, this.#options.clock);
    return count > 0;
  }

  #note(status: EngineStatus): void {
    this.#status = status;
    this.#feed.isLive = status.live;
    this.#ring();
  }
}
