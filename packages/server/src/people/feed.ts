import type { LogEntry, Position } from '../core/event.ts';
import { type Lane, PEOPLE } from '../core/lane.ts';
import type { Source } from '../core/source.ts';

/** What is needed of a lane's reader (log/contract.ts). */
export interface FeedReader {
  pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]>;
  ack(positions: readonly Position[]): void;
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

/** At most so many entries of a lane are held, and hardly more than this many at once are handed on. */
const LANE_PAGE = 2_000;
const HANDED_ON = 4_000;

/** Reads the lanes of `people`, one for each source whose calls come from outside; a page of each is held at most. */
export class Feed {
  readonly #log: FeedLog;
  readonly #settings: FeedSettings;
  readonly #arrived: () => void;
  readonly #failed: (error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #lanes = new Map<number, Lane>();
  readonly #pages = new Map<number, FeedPage>();
  #following: Promise<void> = Promise.resolve();

  /** `arrived` is called when there is a page, `failed` with what the log says when it can't be read. */
  constructor(log: FeedLog, settings: FeedSettings, arrived: () => void, failed: (error: unknown) => void) {
    this.#log = log;
    this.#settings = settings;
    this.#arrived = arrived;
    this.#failed = failed;
  }

  /** Opens the lanes of sources that have none, ends those of sources that are gone, and reads them all. */
  async start(): Promise<void> {
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
    this.#following = this.#following
      .then(() => this.#endLost())
      .then(() => this.#look())
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#failed(error);
      });
    return this.#following;
  }

  /** The pages that wait; they wait on until they are done. */
  pages(): readonly FeedPage[] {
    const pages: FeedPage[] = [];
    let entries = 0;
    for (const page of this.#pages.values()) {
      if (entries >= HANDED_ON) break;
      pages.push(page);
      entries += page.entries.length;
    }
    return pages;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#following;
  }

  async #look(): Promise<void> {
    for (const lane of await this.#log.lanes()) {
      if (lane.destinationId !== PEOPLE || this.#lanes.has(lane.id)) continue;
      this.#lanes.set(lane.id, lane);
      this.#pull(lane, this.#log.read(lane.id));
    }
  }

  async #endLost(): Promise<void> {
    for (const lane of this.#lanes.values()) {
      if (lane.until === null && !this.#settings.source(lane.sourceId)) await this.#log.endLane(lane.id);
    }
  }

  #pull(lane: Lane, reader: FeedReader): void {
    const { signal } = this.#stop;
    reader.pull(LANE_PAGE, signal).then(
      (entries) => {
        if (entries.length === 0) return this.#ended(lane);
        this.#pages.set(lane.id, {
          entries,
          done: () => {
            this.#pages.delete(lane.id);
            reader.ack(entries.map(({ position }) => position));
            this.#pull(lane, reader);
          },
        });
        this.#arrived();
      },
      (error: unknown) => {
        if (signal.aborted) return;
        // Read again from where it stands by whoever follows the lanes next.
        this.#lanes.delete(lane.id);
        this.#failed(error);
      },
    );
  }

  #ended({ id }: Lane): void {
    this.#lanes.delete(id);
    this.#log.removeLane(id).catch((error: unknown) => {
      if (!this.#stop.signal.aborted) this.#failed(error);
    });
  }
}
