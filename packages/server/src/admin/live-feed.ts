import { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { LogEntry } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import type { EventLog } from '../log/contract.ts';
import type { LiveEvent, LiveRate } from './contract.ts';
import { type LiveFilter, LowerCase, liveFilter } from './live-filter.ts';
import { LiveSampler, TICKS } from './live-sampler.ts';
import { iso } from './views.ts';

export interface LiveFeedOptions {
  readonly log: Pick<EventLog, 'follow'>;
  readonly clock: Clock;
  /** Is told when the log can't be followed, or a viewer's session can't be looked up. */
  readonly report: (error: unknown) => void;
}

const MOST_VIEWERS = 20;
/** Of one caller: others must find room. */
const MOST_OF_ONE = 5;
/** A viewer that leaves more than this unread is dropped. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
const TICK_MS = 1000 / TICKS;
const HEARTBEAT_TICKS = 15 * TICKS;
/** A stream lasts this long; browsers open it again by themselves, and are asked again who they are. */
const LONGEST_TICKS = 15 * 60 * TICKS;

/** Whether a viewer may go on watching. Asked every second. */
export type MayWatch = () => Promise<boolean>;

interface Viewer {
  readonly passes: (entry: LogEntry) => boolean;
  readonly sampler: LiveSampler<LogEntry>;
  readonly stream: Readable;
  readonly mayWatch: MayWatch;
  /** Whose it is. */
  readonly who: string;
  /** An answer to `mayWatch` is on its way. */
  asking: boolean;
  ticks: number;
  /** In the second under way. */
  matched: number;
  sent: number;
  accepted: number;
}

interface Following {
  readonly end: () => void;
  /** Resolves when every later event is seen. */
  readonly begun: Promise<void>;
}

/**
 * The live debugger: one reader of the log's new events for all who watch, there while somebody does. Each viewer is a
 * stream of server-sent events, filtered and sampled on its own. Bodies are decoded only where they are sent.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #lowerCase = new LowerCase();
  #following: Following | null = null;
  #cancelTick: (() => void) | null = null;
  #closed = false;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /**
   * A stream of what is accepted from now on and passes the filter; `who` tells callers apart. Destroying it ends the watching; so does the end of
   * the session or token that it was opened with, within a second or two.
   *
   * @throws Fault `overloaded` when too many watch or the service stops, `storage_unavailable` when the log can't be read.
   */
  async watch(filter: LiveFilter, mayWatch: MayWatch, who: string): Promise<Readable> {
    if (this.#closed) throw new Fault('overloaded', 'The service is stopping.', { retryAfter: 5 });
    if (this.#viewers.size >= MOST_VIEWERS) {
      const message = `${MOST_VIEWERS} viewers watch already, which is the most at once. Close one and try again.`;
      throw new Fault('overloaded', message, { retryAfter: 10 });
    }
    if ([...this.#viewers].filter((viewer) => viewer.who === who).length >= MOST_OF_ONE) {
      const message = `You watch ${MOST_OF_ONE} streams already, which is the most of one caller. Close one and try again.`;
      throw new Fault('overloaded', message, { retryAfter: 10 });
    }
    const stream = new Readable({ read: () => undefined });
    const passes = liveFilter(filter, this.#lowerCase);
    const viewer: Viewer = {
      ...{ passes, sampler: new LiveSampler(), stream, mayWatch, who },
      ...{ asking: false, ticks: 0, matched: 0, sent: 0, accepted: 0 },
    };
    this.#viewers.add(viewer);
    stream.once('close', () => this.#leave(viewer));
    this.#following ??= this.#follow();
    this.#cancelTick ??= this.#options.clock.after(TICK_MS, () => this.#tick());
    await this.#following.begun;
    if (!this.#viewers.has(viewer)) {
      stream.destroy();
      throw new Fault('storage_unavailable', 'New events can not be watched now. Try again shortly.', {
        retryAfter: 5,
      });
    }
    stream.push(': watching\n\n');
    return stream;
  }

  /** Ends every stream; nobody is let in any more. */
  close(): void {
    this.#closed = true;
    this.#endAll();
  }

  #follow(): Following {
    const ending = new AbortController();
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const following = { begun, end: () => ending.abort() };
    const run = async (): Promise<void> => {
      const pages = await this.#options.log.follow(ending.signal);
      resolve();
      for await (const { entries, lost } of pages) this.#show(entries, lost);
    };
    void run()
      .catch((error: unknown) => {
        if (!ending.signal.aborted) this.#options.report(error);
      })
      .finally(() => {
        resolve();
        // It ended by itself: whoever watches must ask again.
        if (this.#following === following) this.#endAll();
      });
    return following;
  }

  #show(entries: readonly LogEntry[], lost: number): void {
    for (const viewer of this.#viewers) viewer.accepted += entries.length + lost;
    for (const entry of entries) {
      for (const viewer of this.#viewers) {
        if (!viewer.passes(entry)) continue;
        viewer.matched++;
        viewer.sampler.offer(entry);
      }
    }
  }

  #tick(): void {
    for (const viewer of this.#viewers) this.#send(viewer);
    this.#cancelTick = this.#viewers.size === 0 ? null : this.#options.clock.after(TICK_MS, () => this.#tick());
  }

  #send(viewer: Viewer): void {
    const { stream, sampler } = viewer;
    const items = sampler.tick();
    viewer.sent += items.length;
    viewer.ticks++;
    let text = items.map((entry) => message('event', liveEvent(entry))).join('');
    if (viewer.ticks % TICKS === 0) {
      const { matched, sent, accepted } = viewer;
      text += message('sampled', { matched, sent, accepted } satisfies LiveRate);
      Object.assign(viewer, { matched: 0, sent: 0, accepted: 0 });
      void this.#askAgain(viewer);
    }
    if (viewer.ticks % HEARTBEAT_TICKS === 0) text += ': still here\n\n';
    if (text !== '') stream.push(text);
    if (stream.readableLength > MOST_UNREAD_BYTES) stream.destroy();
    else if (viewer.ticks >= LONGEST_TICKS) this.#end(viewer);
  }

  /** Ends the stream of a viewer who may not watch any more, or of whom that can't be known. */
  async #askAgain(viewer: Viewer): Promise<void> {
    if (viewer.asking) return;
    viewer.asking = true;
    const may = await viewer.mayWatch().catch((error: unknown) => {
      this.#options.report(error);
      return false;
    });
    viewer.asking = false;
    if (!may && this.#viewers.has(viewer)) this.#end(viewer);
  }

  #endAll(): void {
    for (const viewer of this.#viewers) this.#end(viewer);
  }

  #end(viewer: Viewer): void {
    viewer.stream.push(null);
    this.#leave(viewer);
  }

  #leave(viewer: Viewer): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size > 0) return;
    const following = this.#following;
    this.#following = null;
    following?.end();
    this.#cancelTick?.();
    this.#cancelTick = null;
  }
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function liveEvent(entry: LogEntry): LiveEvent {
  const { messageId, sourceId, type, name, userId, receivedAt, body } = entry;
  const text = new TextDecoder().decode(body);
  return { messageId, sourceId, type, event: name, userId, receivedAt: iso(receivedAt), body: text };
}
