import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { type Lane, PEOPLE } from '../core/lane.ts';
import { type Cut, isWithin, shardOf } from '../core/position.ts';
import type { Source } from '../core/source.ts';

/** What is needed of a lane's reader (log/contract.ts). */
export interface FeedReader {
  pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]>;
  ack(positions: readonly Position[]): void;
  waiting(): Promise<number>;
  oldestWaiting(): Promise<number | null>;
}

export interface FeedLog {
  lanes(): Promise<readonly Lane[]>;
  openLane(sourceId: string, destinationId: string): Promise<Lane>;
  endLane(id: number): Promise<void>;
  removeLane(id: number): Promise<void>;
  read(id: number): FeedReader;
}

export interface FeedSettings {
  sources(): readonly Source[];
  source(id: string): Source | undefined;
}

/** Entries of one lane that wait to be taken in. */
export interface FeedPage {
  readonly entries: readonly LogEntry[];
  /** They are taken in: the lane goes on. */
  done(): void;
}

interface OpenLane {
  readonly lane: Lane;
  readonly reader: FeedReader;
  /** Ends its reading. Each lane has its own: a signal of thousands of lanes goes through its listeners at each read. */
  readonly stop: AbortController;
  /** The last position that was taken in since the reader began; 0 for none. */
  reached: Position;
  /** Its next page is asked for, or will be in a moment. */
  reading: boolean;
  /** Everything in it was handed out. */
  ended: boolean;
}

/**
 * A lane that handed out what there was is read again after this: in a flood of calls, steps for a few of them each would be
 * the dearest part. The first call after a rest is there at once.
 */
const LINGER_MS = 50;
/** Entries of a lane that are asked for at once. */
const LANE_PAGE = 2_000;
/** Hardly more than this many of all lanes are handed on at once; a lane that holds more asks for none: the next are at hand. */
const HANDED_ON = 4_000;

/** Reads the lanes of `people`, one for each source whose calls come from outside; three pages of each are held at most. */
export class Feed {
  readonly #log: FeedLog;
  readonly #settings: FeedSettings;
  readonly #clock: Clock;
  readonly #arrived: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #lanes = new Map<number, OpenLane>();
  /** The entries of each lane that wait, never none. */
  readonly #pages = new Map<OpenLane, readonly LogEntry[]>();
  /** What goes wrong is its caller's to report. */
  readonly #inTurn = pLimit(1);
  #reading = false;
  #stopped = false;

  /** `arrived` is called when there is a page, `failed` with what the log says when it can't be read. */
  constructor(
    { log, settings, clock }: { readonly log: FeedLog; readonly settings: FeedSettings; readonly clock: Clock },
    arrived: () => void,
    failed: (error: unknown) => void,
  ) {
    this.#log = log;
    this.#settings = settings;
    this.#clock = clock;
    this.#arrived = arrived;
    this.#failed = failed;
  }

  /** Opens the lanes of sources that have none, ends those of sources that are gone, and reads them all. */
  async start(): Promise<void> {
    this.#reading = true;
    for (const { id, sentBy } of this.#settings.sources()) {
      if (sentBy === undefined) await this.#log.openLane(id, PEOPLE);
    }
    await this.#look();
    await this.#endLost();
  }

  /**
   * The settings have changed. A lane that is seen for the first time and whose source is unknown may belong to a change
   * under way: it is left alone until the next one.
   */
  follow(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#endLost();
      await this.#look();
    }).catch((error: unknown) => {
      if (!this.#stopped) this.#failed(error);
    });
  }

  /** What waits, up to a cut where there is one; it waits on until it is done. */
  pages(through: Cut | null = null): readonly FeedPage[] {
    const pages: FeedPage[] = [];
    let count = 0;
    for (const [open, waiting] of this.#pages) {
      if (count >= HANDED_ON) break;
      const entries = waiting.filter(({ position }) => through === null || isWithin(through, position));
      if (entries.length === 0) continue;
      pages.push({ entries, done: () => this.#done(open, entries) });
      count += entries.length;
    }
    return pages;
  }

  /** Whether everything up to a cut, which the log has reached, was taken in. */
  async isTakenIn(through: Cut): Promise<boolean> {
    await this.#inTurn(() => this.#look());
    for (const open of this.#lanes.values()) {
      // Entries come in order: a page that begins later has nothing before it.
      const waits = (): boolean => {
        const [first] = this.#pages.get(open) ?? [];
        return first !== undefined && isWithin(through, first.position);
      };
      if (waits()) return false;
      const last = through[shardOf(open.lane.after)] ?? 0;
      if (this.#pages.has(open) || open.reached >= last || open.lane.after >= last) continue;
      // A page may have arrived while the log was asked.
      if ((await open.reader.oldestWaiting()) !== null || waits()) return false;
    }
    return true;
  }

  /** How many entries of all lanes are not done, whichever process reads them. */
  async waiting(): Promise<number> {
    const readers = this.#reading ? [...this.#lanes.values()].map(({ reader }) => reader) : await this.#others();
    const counts = await Promise.all(readers.map((reader) => reader.waiting()));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { stop } of this.#lanes.values()) stop.abort();
    await this.#inTurn(async () => undefined);
    this.#reading = false;
  }

  /** Readers of lanes that another process reads, or none; to be asked, not to be read. */
  async #others(): Promise<readonly FeedReader[]> {
    const lanes = await this.#log.lanes();
    return lanes.filter(({ destinationId }) => destinationId === PEOPLE).map(({ id }) => this.#log.read(id));
  }

  async #look(): Promise<void> {
    const lanes = await this.#log.lanes();
    if (this.#stopped) return;
    for (const lane of lanes) {
      if (lane.destinationId !== PEOPLE || this.#lanes.has(lane.id)) continue;
      const reader = this.#log.read(lane.id);
      const open = { lane, reader, stop: new AbortController(), reached: 0, reading: false, ended: false };
      this.#lanes.set(lane.id, open);
      this.#pull(open);
    }
  }

  async #endLost(): Promise<void> {
    for (const { lane } of this.#lanes.values()) {
      if (lane.until === null && !this.#settings.source(lane.sourceId)) await this.#log.endLane(lane.id);
    }
  }

  /** Asks for the next page, where it is not on its way and there is room for it. */
  #pull(open: OpenLane): void {
    const held = this.#pages.get(open)?.length ?? 0;
    if (open.reading || open.ended || held > HANDED_ON || this.#lanes.get(open.lane.id) !== open) return;
    open.reading = true;
    const goOn = (): void => {
      open.reading = false;
      this.#pull(open);
    };
    open.reader.pull(LANE_PAGE, open.stop.signal).then(
      (entries) => {
        open.ended = entries.length === 0;
        if (open.ended) return this.#endIfDone(open);
        this.#pages.set(open, [...(this.#pages.get(open) ?? []), ...entries]);
        this.#arrived();
        if (entries.length >= LANE_PAGE) goOn();
        else this.#clock.after(LINGER_MS, goOn);
      },
      (error: unknown) => {
        if (this.#stopped) return;
        // Read again from where it stands by the next one that follows the lanes.
        this.#lanes.delete(open.lane.id);
        this.#pages.delete(open);
        this.#failed(error);
      },
    );
  }

  #done(open: OpenLane, entries: readonly LogEntry[]): void {
    open.reader.ack(entries.map(({ position }) => position));
    open.reached = entries.at(-1)?.position ?? open.reached;
    const left = this.#pages.get(open)?.slice(entries.length) ?? [];
    if (left.length > 0) this.#pages.set(open, left);
    else this.#pages.delete(open);
    this.#endIfDone(open);
    this.#pull(open);
  }

  #endIfDone(open: OpenLane): void {
    if (open.ended && !this.#pages.has(open)) this.#ended(open.lane);
  }

  #ended({ id }: Lane): void {
    this.#lanes.delete(id);
    this.#log.removeLane(id).catch((error: unknown) => {
      if (!this.#stopped) this.#failed(error);
    });
  }
}
