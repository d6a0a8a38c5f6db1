import type { Clock } from '../core/clock.ts';
import type { LogEntry, Position } from '../core/event.ts';
import type { Service } from '../core/service.ts';
import type { Message } from './contract.ts';
import { Definitions, type DefinitionsOptions } from './definitions.ts';
import type { Engine, EngineStatus } from './engine.ts';
import { packEntries } from './entries.ts';
import { Feed, type FeedLog } from './feed.ts';
import { batchesOf, type FrontDoor, type Sender, sendBatch } from './outbox.ts';
import type { PeopleQueries } from './queries.ts';

export interface PeopleOptions {
  readonly log: FeedLog & { scan(after: Position, limit: number): Promise<readonly LogEntry[]> };
  readonly settings: DefinitionsOptions['settings'] & { onChange(listener: () => void): () => void };
  /** The engine and the queries, on whatever thread they run. */
  readonly engine: Pick<
    Engine,
    | 'open'
    | 'take'
    | 'slide'
    | 'work'
    | 'put'
    | 'forget'
    | 'sync'
    | 'definitions'
    | 'outbox'
    | 'told'
    | 'rebuild'
    | 'takeScanned'
  >;
  readonly queries: Pick<PeopleQueries, 'preview' | 'members' | 'sizes' | 'person' | 'why'>;
  /** Takes the calls that audiences and traits make. */
  readonly collect: FrontDoor;
  readonly clock: Clock;
  readonly newId: DefinitionsOptions['newId'];
  readonly newWriteKey: DefinitionsOptions['newWriteKey'];
  /** Is told what went wrong; it is tried again. */
  readonly report: (error: unknown, what: string) => void;
}

/** How it stands with people/. */
export interface PeopleStatus {
  /** Messages that wait to be sent. */
  readonly outbox: number;
  /** The position of the log a rebuild has come to; null when there is none. */
  readonly rebuilt: Position | null;
}

/** Wait after an error. */
const RETRY_MS = 1_000;
const SCAN_PAGE = 2_000;
const OUTBOX_PAGE = 500;

/**
 * The stage: takes in what its lanes hold, decides what is due when it is due, works off jobs between the two, and sends
 * what must be told through the front door.
 */
export class People implements Service {
  readonly definitions: Definitions;
  readonly queries: PeopleOptions['queries'];
  readonly #options: PeopleOptions;
  readonly #feed: Feed;
  #status: EngineStatus = { outbox: 0, nextDue: null, working: false, rebuilt: null };
  #unsubscribe: (() => void) | null = null;
  /** Resolves when there may be something to do. */
  #changed = Promise.withResolvers<void>();
  readonly #stopping = Promise.withResolvers<void>();
  #stopped = false;
  #loops: Promise<unknown> = Promise.resolve();

  constructor(options: PeopleOptions) {
    this.#options = options;
    this.queries = options.queries;
    const { engine } = options;
    this.definitions = new Definitions({
      ...options,
      engine: {
        definitions: () => engine.definitions(),
        put: (definition, compute, now) => this.#step(engine.put(definition, compute, now)),
        forget: (id, now) => this.#step(engine.forget(id, now)),
        sync: (id, now) => this.#step(engine.sync(id, now)),
      },
    });
    this.#feed = new Feed(
      options.log,
      options.settings,
      () => this.#wakeUp(),
      (error) => {
        options.report(error, 'the calls could not be read');
        options.clock.after(RETRY_MS, () => void this.#feed.follow());
      },
    );
  }

  async start(): Promise<void> {
    this.#status = await this.#options.engine.open();
    await this.definitions.repair();
    await this.#feed.start();
    this.#unsubscribe = this.#options.settings.onChange(() => void this.#feed.follow());
    this.#loops = Promise.all([
      this.#run(() => this.#turn(), 'the calls could not be taken in'),
      this.#run(() => this.#send(), 'the calls of audiences and traits could not be sent'),
    ]);
  }

  /** Ends after the step under way; what is left goes on after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.resolve();
    this.#unsubscribe?.();
    this.#wakeUp();
    await this.#feed.stop();
    await this.#loops;
  }

  status(): PeopleStatus {
    const { outbox, rebuilt } = this.#status;
    return { outbox, rebuilt };
  }

  /** Forgets all persons and takes the log in again from its beginning. What was told before stays known. */
  async rebuild(): Promise<void> {
    const { engine, clock } = this.#options;
    await this.#step(engine.rebuild(clock.now()));
  }

  /** Takes turns until the stop; waits where a turn found nothing to do, and after an error. */
  async #run(turn: () => Promise<boolean>, what: string): Promise<void> {
    const { clock, report } = this.#options;
    while (!this.#stopped) {
      const { promise } = this.#changed;
      try {
        if (await turn()) continue;
        const { nextDue } = this.#status;
        const cancel = nextDue === null ? null : clock.after(Math.max(0, nextDue - clock.now()), () => this.#wakeUp());
        await promise;
        cancel?.();
      } catch (error) {
        if (this.#stopped) return;
        report(error, what);
        const waited = Promise.withResolvers<void>();
        const cancel = clock.after(RETRY_MS, waited.resolve);
        await Promise.race([waited.promise, this.#stopping.promise]);
        cancel();
      }
    }
  }

  /** One step of each kind that has something to do, so that none waits for all of another. */
  async #turn(): Promise<boolean> {
    const { engine, clock, log } = this.#options;
    const { rebuilt } = this.#status;
    if (rebuilt !== null) {
      const entries = await log.scan(rebuilt, SCAN_PAGE);
      await this.#step(engine.takeScanned(packEntries(entries), entries.at(-1)?.position ?? null, clock.now()));
      return true;
    }
    const pages = this.#feed.pages();
    if (pages.length > 0) {
      await this.#step(engine.take(packEntries(pages.flatMap(({ entries }) => entries)), clock.now()));
      for (const page of pages) page.done();
    }
    const { nextDue, working } = this.#status;
    const due = nextDue !== null && nextDue <= clock.now();
    if (due) await this.#step(engine.slide(clock.now()));
    if (working) await this.#step(engine.work(clock.now()));
    return pages.length > 0 || due || working;
  }

  /** Sends a page of the outbox. What has no sender any more is let go. */
  async #send(): Promise<boolean> {
    const { engine, settings, collect, report } = this.#options;
    if (this.#status.outbox === 0) return false;
    const messages = await engine.outbox(OUTBOX_PAGE);
    const definitions = new Map((await engine.definitions()).map((definition) => [definition.id, definition]));
    const senderOf = (id: string): Sender | undefined => {
      const definition = definitions.get(id);
      const source = definition && settings.source(definition.sourceId);
      return source && { source, key: definition.key };
    };
    const lost = messages.filter(({ definitionId }) => !senderOf(definitionId));
    if (lost.length > 0) await this.#told(lost);
    for (const batch of batchesOf(messages, senderOf)) {
      if (this.#stopped) return true;
      for (const { code, message } of await sendBatch(collect, batch)) {
        report(new Error(`${code}: ${message}`), `a call of ${batch.sender.source.name} was refused`);
      }
      await this.#told(batch.messages);
    }
    return messages.length > 0;
  }

  async #told(messages: readonly Message[]): Promise<void> {
    const { engine, clock } = this.#options;
    await this.#step(
      engine.told(
        messages.map(({ id }) => id),
        clock.now(),
      ),
    );
  }

  async #step(step: Promise<EngineStatus>): Promise<EngineStatus> {
    this.#status = await step;
    this.#wakeUp();
    return this.#status;
  }

  #wakeUp(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}
