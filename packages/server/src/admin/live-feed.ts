import { Readable } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { Fault } from '../core/fault.ts';
import { iso } from '../core/instant.ts';
import type { EventLog } from '../log/contract.ts';
import type { Rejection } from '../observe/rejections.ts';
import type { DeliveryStore } from '../record/contract.ts';
import type { LiveEvent, LiveRate, LiveRejection } from './contract.ts';
import { type LiveFilter, liveFilter, lowerCaseBodies, passesRejected } from './live-filter.ts';
import { LiveSampler, TICKS } from './live-sampler.ts';
import { OpenStreams } from './open-streams.ts';

export interface LiveFeedOptions {
  readonly log: Pick<EventLog, 'follow' | 'fetch'>;
  readonly deliveries: Pick<DeliveryStore, 'events'>;
  readonly rejections: { after(number: number): readonly Rejection[] };
  readonly clock: Clock;
  /** Called when the log can't be followed, or a viewer's session can't be looked up. */
  readonly report: (error: unknown) => void;
}

/** A viewer with more unread bytes than this is disconnected. */
const MOST_UNREAD_BYTES = 4 * 1024 * 1024;
/** The most events at the beginning of a stream, and the most pages that are searched for them. */
const MOST_LAST = 100;
const PAGES = 10;
/** The most refused calls per tick. */
const MOST_REJECTED = 5;
const TICK_MS = 1000 / TICKS;
const HEARTBEAT_TICKS = 15 * TICKS;
/** The longest stream. Browsers then open it again, and are authenticated again. */
const LONGEST_TICKS = 15 * 60 * TICKS;

/** Whether a viewer may continue to watch. Called every second. */
export type MayWatch = () => Promise<boolean>;

interface Viewer {
  readonly filter: LiveFilter;
  readonly passes: (entry: LogEntry) => boolean;
  readonly sampler: LiveSampler<LogEntry>;
  readonly stream: Readable;
  readonly mayWatch: MayWatch;
  /** Whether a call of `mayWatch` is running. */
  asking: boolean;
  ticks: number;
  /** Whether the last events were sent. The sampler keeps the new ones that come while those are read. */
  isReady: boolean;
  /** Positions of the last events that were sent: the reader may hand them out again within moments. */
  last: ReadonlySet<Position>;
  /** Number of the latest rejection that was looked at. */
  rejected: number;
  /** The counts of the current second. */
  matched: number;
  sent: number;
  accepted: number;
}

interface Following {
  readonly end: () => void;
  /** Resolves when the reader will see every later event. */
  readonly begun: Promise<void>;
}

/**
 * The live debugger. While there are viewers, one reader follows the log's new events for all of them. Each viewer is a stream of
 * server-sent events with its own filter and sampling. Bodies are decoded only if they are sent or searched.
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
   * A stream of the last events that pass the filter, then of the new ones, each once. Destroying the stream ends it. It also
   * ends within two seconds after the session or token ends.
   *
   * @param who key of the caller.
   * @throws Fault `overloaded` if too many watch or the service stops, `storage_unavailable` if the log can't be read.
   */
  async watch(filter: LiveFilter, mayWatch: MayWatch, who: string): Promise<Readable> {
    const stream = this.#streams.open(who, () => new Readable({ read: () => undefined }));
    const passes = liveFilter(filter, this.#lowerCase);
    const viewer: Viewer = {
      ...{ filter, passes, sampler: new LiveSampler(), stream, mayWatch },
      ...{ asking: false, ticks: 0, isReady: false, last: new Set<Position>() },
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
      // The service stops, or the viewer has left: nothing can be pushed to an ended stream.
      if (!this.#viewers.has(viewer)) return stream;
      if (last.length > 0) stream.push(last.map(eventMessage).join(''));
      viewer.last = new Set(last.map(({ position }) => position));
      viewer.isReady = true;
    } catch (error) {
      stream.destroy();
      throw error;
    }
    return stream;
  }

  /** Ends all streams and refuses new ones. */
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
        // The reader of the log has ended, so all streams end: viewers open theirs again.
        if (this.#following === following) this.#endAll();
      });
    return following;
  }

  #show(entries: readonly LogEntry[], lost: number): void {
    for (const viewer of this.#viewers) viewer.accepted += entries.length + lost;
    for (const entry of entries) {
      for (const viewer of this.#viewers) {
        if (!viewer.passes(entry) || viewer.last.has(entry.position)) continue;
        viewer.matched++;
        viewer.sampler.offer(entry);
      }
    }
  }

  #tick(): void {
    for (const viewer of this.#viewers) if (viewer.isReady) this.#send(viewer);
    this.#cancelTick = this.#viewers.size === 0 ? null : this.#options.clock.after(TICK_MS, () => this.#tick());
  }

  #send(viewer: Viewer): void {
    const { stream, sampler } = viewer;
    const sampled = sampler.tick();
    const items = sampled.filter(({ position }) => !viewer.last.has(position));
    viewer.matched -= sampled.length - items.length;
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

  /** Refused calls since the last tick. If there are many, only the newest. */
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

  /** Ends the stream of a viewer who may no longer watch, or if that can't be checked. */
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

/** The last events that pass, oldest first. Only the newest pages are searched, so rare events may be missing. */
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
    // An event without a body was removed.
    found.push(
      ...entries.filter((entry) => entry !== undefined).filter((entry) => entry.body.byteLength > 0 && passes(entry)),
    );
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, MOST_LAST).toReversed();
}
