import { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import type { EventLog } from '../log/contract.ts';
import type { Rejection } from '../observe/rejections.ts';
import type { DeliveryStore } from '../record/contract.ts';
import type { LiveEvent, LiveRate, LiveRejection } from './contract.ts';
import { type LiveFilter, liveFilter, lowerCaseBodies, passesRejected } from './live-filter.ts';
import { LiveSampler, TICKS } from './live-sampler.ts';
import { OpenStreams } from './open-streams.ts';
import { iso } from './views.ts';

export interface LiveFeedOptions {
  readonly log: Pick<EventLog, 'follow' | 'fetch'>;
  readonly deliveries: Pick<DeliveryStore, 'events'>;
  readonly rejections: { after(number: number): readonly Rejection[] };
  readonly clock: Clock;
  /** Is told when the log can't be followed, or a viewer's session can't be looked up. */
  readonly report: (error: unknown) => void;
}

/** A viewer that leaves more than this unread is dropped. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
/** So many events a stream begins with, and so many pages are looked through for them. */
const MOST_LAST = 100;
const PAGES = 10;
/** Kept while the last events are read. */
const MOST_EARLY = 1_000;
/** Refused calls of one tick. */
const MOST_REJECTED = 5;
const TICK_MS = 1000 / TICKS;
const HEARTBEAT_TICKS = 15 * TICKS;
/** A stream lasts this long; browsers open it again, and are asked again who they are. */
const LONGEST_TICKS = 15 * 60 * TICKS;

/** Whether a viewer may go on watching. Asked every second. */
export type MayWatch = () => Promise<boolean>;

interface Viewer {
  readonly filter: LiveFilter;
  readonly passes: (entry: LogEntry) => boolean;
  readonly sampler: LiveSampler<LogEntry>;
  readonly stream: Readable;
  readonly mayWatch: MayWatch;
  /** An answer to `mayWatch` is on its way. */
  asking: boolean;
  ticks: number;
  /** Came while the last ones were read; null when those are sent. */
  early: LogEntry[] | null;
  /** Of the last ones: they may come again within moments. */
  last: ReadonlySet<Position>;
  /** Number of the rejection that was looked at last. */
  rejected: number;
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
 * The live debugger: one reader of the log's new events for all viewers, there while there is one. Each viewer is a
 * stream of server-sent events, filtered and sampled on its own. Bodies are decoded only where they are sent or searched.
 */
export class LiveFeed {
  readonly #options: LiveFeedOptions;
  readonly #viewers = new Set<Viewer>();
  readonly #streams = new OpenStreams({ all: 20, ofOne: 5 });
  readonly #lowerCase = lowerCaseBodies();
  #following: Following | null = null;
  #cancelTick: (() => void) | null = null;

  constructor(options: LiveFeedOptions) {
    this.#options = options;
  }

  /**
   * A stream of the last events that pass the filter and of what is accepted from now on and passes it, each once; `who` tells callers apart. Destroying it ends the watching; so does the end of
   * the session or token that it was opened with, within a second or two.
   *
   * @throws Fault `overloaded` when too many watch or the service stops, `storage_unavailable` when the log can't be read.
   */
  async watch(filter: LiveFilter, mayWatch: MayWatch, who: string): Promise<Readable> {
    const stream = this.#streams.open(who, () => new Readable({ read: () => undefined }));
    const passes = liveFilter(filter, this.#lowerCase);
    const viewer: Viewer = {
      ...{ filter, passes, sampler: new LiveSampler(), stream, mayWatch },
      ...{ asking: false, ticks: 0, early: [], last: new Set<Position>() },
      ...{ rejected: 0, matched: 0, sent: 0, accepted: 0 },
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
    try {
      const last = await lastOf(this.#options, filter, passes);
      // The service stops, or the viewer has left: an ended stream takes nothing more.
      if (!this.#viewers.has(viewer)) return stream;
      if (last.length > 0) stream.push(last.map(eventMessage).join(''));
      this.#goOn(viewer, new Set(last.map(({ position }) => position)));
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  /** Ends every stream, and opens no other. */
  close(): void {
    this.#streams.refuse();
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
        // The reader of the log ended: viewers open their streams again.
        if (this.#following === following) this.#endAll();
      });
    return following;
  }

  #show(entries: readonly LogEntry[], lost: number): void {
    for (const viewer of this.#viewers) viewer.accepted += entries.length + lost;
    for (const entry of entries) {
      for (const viewer of this.#viewers) {
        if (!viewer.passes(entry)) continue;
        if (viewer.early === null) this.#offer(viewer, entry);
        else if (viewer.early.push(entry) > MOST_EARLY) viewer.early.shift();
      }
    }
  }

  /** The last ones are sent: what came meanwhile follows, but for what is among them. */
  #goOn(viewer: Viewer, last: ReadonlySet<Position>): void {
    const early = viewer.early ?? [];
    viewer.early = null;
    viewer.last = last;
    for (const entry of early) this.#offer(viewer, entry);
  }

  #offer(viewer: Viewer, entry: LogEntry): void {
    if (viewer.last.has(entry.position)) return;
    viewer.matched++;
    viewer.sampler.offer(entry);
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
    let text = items.map(eventMessage).join('') + this.#rejected(viewer);
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

  /** What was refused since; of many the newest, until they are as many as events may be. */
  #rejected(viewer: Viewer): string {
    const isFirst = viewer.rejected === 0;
    const come = this.#options.rejections.after(viewer.rejected);
    viewer.rejected = come.at(-1)?.number ?? viewer.rejected;
    const passing = come.filter((rejection) => passesRejected(viewer.filter, rejection));
    return passing
      .slice(isFirst ? 0 : -MOST_REJECTED)
      .map(rejectedMessage)
      .join('');
  }

  /** Ends the stream of a viewer who may no longer watch, or of whom that can't be known. */
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

function message(event: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

function eventMessage(entry: LogEntry): string {
  return message('event', liveEvent(entry), String(entry.position));
}

function rejectedMessage({ at, id, sourceId, code, message: words, part }: Rejection): string {
  const data = { sourceId, code, message: words, part, receivedAt: iso(at) } satisfies LiveRejection;
  return message('rejected', data, id);
}

function liveEvent(entry: LogEntry): LiveEvent {
  const { position, messageId, sourceId, type, name, userId, receivedAt, body } = entry;
  const text = new TextDecoder().decode(body);
  return { position, messageId, sourceId, type, event: name, userId, receivedAt: iso(receivedAt), body: text };
}

/** The last events that pass, oldest first. A rare one may be further back than what is looked through. */
async function lastOf(
  { log, deliveries }: Pick<LiveFeedOptions, 'log' | 'deliveries'>,
  filter: LiveFilter,
  passes: (entry: LogEntry) => boolean,
): Promise<readonly LogEntry[]> {
  const { sourceId = null, type = null, event = null, userId = null } = filter;
  const found: LogEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES && found.length < MOST_LAST; page++) {
    const query = { messageId: null, sourceId, type, event, userId, from: null, to: null, cursor, limit: MOST_LAST };
    const { items, next } = await deliveries.events(query);
    const entries = await log.fetch(items.map(({ position }) => position));
    // One without a body was removed.
    found.push(
      ...entries.filter((entry) => entry !== undefined).filter((entry) => entry.body.byteLength > 0 && passes(entry)),
    );
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, MOST_LAST).toReversed();
}
