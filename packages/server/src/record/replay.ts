import pLimit from 'p-limit';
import type { Clock } from '../core/clock.ts';
import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { pause } from '../core/pause.ts';
import { Recurring } from '../core/recurring.ts';
import type { Service } from '../core/service.ts';
import { ONLY } from '../core/urls-left.ts';
import type {
  CandidatePage,
  DeliveryStore,
  Replay,
  ReplayCandidate,
  ReplayQuery,
  ReplayResult,
  RequeueItem,
  UndoneEnds,
} from './contract.ts';
import { batchSize, dueAt, PAGE, type Pace } from './replay-pace.ts';

export interface ReplayScope {
  /** The sources whose events it takes: for `all` those connected now, for `failed` formerly connected ones too. */
  readonly sourceIds: readonly string[];
  /** The connected sources. From others it takes delete notices only: all other messages would be filtered. */
  readonly connectedIds: readonly string[];
  /** Whether it leaves failed messages out: once one URL takes such a message, it would count as taken by all URLs, as the destination asks. */
  readonly leavesFailed: boolean;
}

/** See ReplayScope. */
export function leavesFailed({ success }: Pick<Destination, 'success'>, webhookId: string | null | undefined): boolean {
  return success === 'all' && Boolean(webhookId);
}

/** What a replay is asked to do; times are milliseconds since the epoch. */
export type ReplayRequest = Pick<
  Replay,
  'destinationId' | 'state' | 'filter' | 'from' | 'to' | 'perSecond' | 'webhookId'
>;

/** The fields of an event that is sent again. */
export type ReplayedEvent = Pick<ReplayCandidate, 'position' | 'messageId' | 'receivedAt' | 'sourceId' | 'type'>;

export interface ReplayPreview {
  readonly count: number;
  /** The first few messages, in their order. */
  readonly sample: readonly ReplayCandidate[];
  /** Counts by error, most frequent first; for failed deliveries only. */
  readonly errors: readonly { readonly error: string; readonly count: number }[];
}

/** A replay and the results of its messages; null for a replay that an earlier version began. */
export interface FollowedReplay extends Replay {
  readonly result: ReplayResult | null;
}

export interface ReplayOptions {
  readonly store: Pick<
    DeliveryStore,
    'candidates' | 'statesOf' | 'requeue' | 'saveReplay' | 'replays' | 'replayResults'
  >;
  readonly clock: Clock;
  /** A new id, `rpl_…`. */
  readonly newId: () => string;
  /** The messages that a replay may take. Null where the destination is gone or off, or the replay's URL is gone. */
  readonly scopeOf: (request: Pick<Replay, 'destinationId' | 'state' | 'webhookId'>) => Promise<ReplayScope | null>;
  /** Whether the destination is not deleted. */
  readonly exists: (destinationId: string) => boolean;
  /** Told that these ends were undone, because their messages are sent again. */
  readonly undone: (destinationId: string, ends: readonly UndoneEnds[]) => void;
  /** Told that the destination's retry queue has new messages. */
  readonly wake: (destinationId: string) => void;
  /** How often it looks for replays that other processes have begun or stopped, milliseconds; null where there are none. */
  readonly lookEvery: number | null;
  readonly log: { error(fields: object, message: string): void };
}

const SAMPLE = 10;
/** A preview may read all records of a destination, on the threads that serve the admin API. */
const MOST_PREVIEWS = 2;
/** Wait of a replay after an error of the store, milliseconds. */
const STORE_PAUSE = 1000;

/**
 * Replays (contract 12): messages that go back to waiting, in the order of acceptance, with a new retry window and the
 * same bytes.
 *
 * A replay runs in batches of at most half a second's worth: it asks for candidates after its position, puts them into the
 * retry queue, due one after the other at its rate, saves how far it is, and waits until half a second before the last of them
 * is due. So at most `perSecond` become due in any second, for batches of any size, and a stop leaves at most about a second's
 * worth in the retry queue. Killed between queueing and saving, it repeats one batch: what still waits is left alone, the rest is
 * sent twice at most. Replays that run when the process stops go on when it starts.
 *
 * Of several processes, one is started and does the work. In all of them replays can be begun, stopped and looked at: that
 * is asked of the store, where the one that works finds it.
 */
export class Replays implements Service {
  readonly #options: ReplayOptions;
  readonly #runs = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>();
  readonly #looking: Recurring | null;
  readonly #previews = pLimit(MOST_PREVIEWS);
  #started = false;

  constructor(options: ReplayOptions) {
    this.#options = options;
    const { clock, lookEvery: every } = options;
    this.#looking = every === null ? null : new Recurring({ clock, every, run: () => this.#lookAgain() });
  }

  async start(): Promise<void> {
    if (this.#started) return;
    this.#started = true;
    await this.#look();
    await this.#looking?.start();
  }

  async stop(): Promise<void> {
    this.#started = false;
    await this.#looking?.stop();
    const runs = [...this.#runs.values()];
    for (const { abort } of runs) abort.abort();
    await Promise.all(runs.map(({ ended }) => ended));
  }

  /** Counts the messages of a replay and shows a few; changes nothing. Few previews run at a time, and none after its signal has aborted. */
  preview(request: ReplayRequest, signal: AbortSignal): Promise<ReplayPreview> {
    return this.#previews(() => this.#count(request, signal));
  }

  async #count(request: ReplayRequest, signal?: AbortSignal): Promise<ReplayPreview> {
    const query = await this.#query({ ...request, to: request.to ?? this.#options.clock.now() + 1 });
    const sample: ReplayCandidate[] = [];
    const errors = new Map<string, number>();
    let count = 0;
    let after: Position | null = query === null ? null : FIRST;
    while (query !== null && after !== null && !signal?.aborted) {
      const page = await this.#candidates({ ...query, after, limit: PAGE });
      count += page.items.length;
      sample.push(...page.items.slice(0, SAMPLE - sample.length));
      for (const { error } of page.items) if (error !== null) errors.set(error, (errors.get(error) ?? 0) + 1);
      after = page.next;
    }
    const ranked = Array.from(errors, ([error, count]) => ({ error, count })).toSorted((a, b) => b.count - a.count);
    return { count, sample, errors: ranked };
  }

  /** Begins a replay; it is durable when this resolves. Without an end in time it takes what was received until now. */
  async create(request: ReplayRequest): Promise<FollowedReplay> {
    const createdAt = this.#options.clock.now();
    const bounded = { ...request, to: request.to ?? createdAt + 1 };
    const { count } = await this.#count(bounded);
    const replay: Replay = {
      id: this.#options.newId(),
      ...bounded,
      messageId: null,
      chosen: null,
      status: 'running',
      total: count,
      done: 0,
      after: FIRST,
      createdAt,
    };
    await this.#save(replay);
    if (this.#started) this.#run(replay);
    return { ...replay, result: NO_RESULT };
  }

  /**
   * Sends chosen events to one destination again: a replay that has put all of them into the retry queue when this resolves, due one after the other
   * at its rate. It leaves out messages of sources that are not connected and, with state `failed`, messages that have not failed there. `chosen`:
   * how many were chosen, removed ones too. Null where none can be sent: the destination is off, or every message waits there anyway or is left out.
   */
  async sendAgain(
    request: Pick<ReplayRequest, 'destinationId' | 'state' | 'perSecond' | 'webhookId'>,
    found: readonly ReplayedEvent[],
    chosen: number,
  ): Promise<FollowedReplay | null> {
    const { clock, newId } = this.#options;
    const { destinationId, state, perSecond, webhookId = null } = request;
    const scope = await this.#options.scopeOf({ destinationId, state: 'all', webhookId });
    const id = newId();
    const failed = state === 'failed' ? await this.#failed(destinationId, found) : null;
    const isSent = (event: ReplayedEvent): boolean => failed?.has(event.position) !== false;
    const events = scope === null ? [] : found.filter((event) => goesOut(event, scope) && isSent(event));
    const pace: Pace = { since: clock.now(), spent: 0, perSecond };
    const items = events.map(({ position }, i) => ({ position, dueAt: dueAt(pace, i) }));
    const put = await this.#requeue({ id, destinationId, webhookId }, items);
    if (put === 0) return null;
    const times = events.map(({ receivedAt }) => receivedAt);
    const replay: Replay = {
      id,
      destinationId,
      state,
      filter: { event: null, userId: null, error: null },
      messageId: chosen === 1 ? (events[0]?.messageId ?? null) : null,
      chosen,
      webhookId,
      from: Math.min(...times),
      to: Math.max(...times) + 1,
      perSecond,
      status: 'done',
      total: events.length,
      done: put,
      after: Math.max(...events.map(({ position }) => position)),
      createdAt: pace.since,
    };
    await this.#save(replay);
    return { ...replay, result: { ...NO_RESULT, retrying: put } };
  }

  /** Removes deleted users from the stored replays; a running replay for such a user is stopped. */
  async forgetUsers(userIds: ReadonlySet<string>): Promise<void> {
    for (const { id, filter } of await this.#all()) {
      if (filter.userId === null || !userIds.has(filter.userId)) continue;
      const replay = await this.halt(id);
      if (replay) await this.#save({ ...replay, filter: { ...filter, userId: DELETED } });
    }
  }

  async list(since = 0): Promise<readonly FollowedReplay[]> {
    return this.#followed((await this.#all()).filter(({ createdAt }) => createdAt >= since));
  }

  async get(id: string): Promise<FollowedReplay | undefined> {
    const kept = await this.#kept(id);
    return kept && (await this.#followed([kept]))[0];
  }

  /** Stops a replay; resolves when it has ended its work. A replay that is over stays as it is. */
  async halt(id: string): Promise<FollowedReplay | undefined> {
    const replay = await this.#kept(id);
    // Saved first: nothing begins it again, and what its last batch saves leaves it stopped.
    if (replay?.status === 'running') await this.#save({ ...replay, status: 'stopped' });
    const run = this.#runs.get(id);
    run?.abort.abort();
    await run?.ended;
    return this.get(id);
  }

  /** As the store has them; a replay of an earlier version names neither messages nor errors. */
  async #all(which?: Parameters<DeliveryStore['replays']>[0]): Promise<readonly Replay[]> {
    const kept = await this.#options.store.replays(which);
    return kept.map((replay) => ({
      ...replay,
      messageId: replay.messageId ?? null,
      chosen: replay.chosen ?? null,
      filter: { ...replay.filter, error: replay.filter.error ?? null },
    }));
  }

  async #kept(id: string): Promise<Replay | undefined> {
    return (await this.#all({ id }))[0];
  }

  async #followed(kept: readonly Replay[]): Promise<FollowedReplay[]> {
    const results = await this.#options.store.replayResults(kept.map(({ id }) => id));
    return kept.map((replay) => {
      const { processed, failed, ...counts } = results.get(replay.id) ?? NO_RESULT;
      const sum = processed + failed + counts.filtered + counts.retrying;
      // What still waited ended with its destination, as the deliveries say.
      const isOver = !this.#options.exists(replay.destinationId);
      const filtered = counts.filtered + (isOver ? counts.retrying : 0);
      const result = { processed, failed, filtered, retrying: isOver ? 0 : counts.retrying };
      // Of a batch that was interrupted before it was saved only the results are known. Earlier versions kept no results.
      const done = Math.max(replay.done, sum);
      // Messages that failed after they were counted are taken too.
      const total = Math.max(replay.total, done);
      return { ...replay, total, done, result: sum === 0 && replay.done > 0 ? null : result };
    });
  }

  async #requeue(
    { id, destinationId, webhookId }: Pick<Replay, 'id' | 'destinationId' | 'webhookId'>,
    items: readonly RequeueItem[],
  ): Promise<number> {
    const { put, undone } = await this.#options.store.requeue(
      destinationId,
      items,
      id,
      webhookId ? [webhookId, ONLY] : null,
    );
    this.#options.undone(destinationId, undone);
    // Before the replay is saved: the messages are in the retry queue even where the save fails.
    if (put > 0) this.#options.wake(destinationId);
    return put;
  }

  /** Starts the running replays of the store, and stops those that another process has stopped. */
  async #look(): Promise<void> {
    // A replay that begins meanwhile may be missing in both lists.
    const runs = [...this.#runs];
    const running = await this.#all('running');
    for (const [id, { abort }] of runs) if (!running.some((replay) => replay.id === id)) abort.abort();
    // A replay that has ended meanwhile may still run in the list that was read.
    const begun = new Set(runs.map(([id]) => id));
    for (const replay of running) if (this.#started && !begun.has(replay.id)) this.#run(replay);
  }

  async #lookAgain(): Promise<void> {
    try {
      await this.#look();
    } catch (error) {
      this.#options.log.error({ err: error }, 'the replays could not be listed; trying again');
    }
  }

  #run(replay: Replay): void {
    if (this.#runs.has(replay.id)) return;
    const abort = new AbortController();
    const ended = this.#work(replay, abort.signal).finally(() => this.#runs.delete(replay.id));
    this.#runs.set(replay.id, { abort, ended });
  }

  /** Works batch by batch until nothing is left or the replay is stopped. Never rejects. */
  async #work(begun: Replay, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let replay = begun;
    let pace: Pace = { since: clock.now(), spent: 0, perSecond: replay.perSecond };
    while (!signal.aborted && replay.status === 'running') {
      try {
        if (dueAt(pace, 0) < clock.now()) pace = { ...pace, since: clock.now(), spent: 0 };
        const batch = await this.#batch(replay, pace);
        replay = batch.replay;
        pace = { ...pace, spent: pace.spent + batch.size };
      } catch (error) {
        log.error({ err: error, replayId: replay.id }, 'a replay could not go on; trying again');
        await pause(STORE_PAUSE, signal, clock);
        continue;
      }
      await pause(dueAt(pace, 0) - LEAD - clock.now(), signal, clock);
    }
  }

  /** One batch; answers the replay after it, and how many times of its pace it used. */
  async #batch(replay: Replay, pace: Pace): Promise<{ replay: Replay; size: number }> {
    const query = await this.#query(replay);
    if (query === null) return { replay: await this.#save({ ...replay, status: 'stopped' }), size: 0 };
    const limit = batchSize(replay.perSecond);
    const { items: candidates, next } = await this.#candidates({ ...query, after: replay.after, limit });
    const after = next ?? candidates.at(-1)?.position;
    if (after === undefined) return { replay: await this.#save({ ...replay, status: 'done' }), size: 0 };
    const items = candidates.map(({ position }, i) => ({ position, dueAt: dueAt(pace, i) }));
    const put = await this.#requeue(replay, items);
    const further = await this.#save({ ...replay, after, done: replay.done + put });
    return { replay: further, size: items.length };
  }

  async #query(request: ReplayRequest): Promise<Omit<ScopedQuery, 'after' | 'limit'> | null> {
    const { destinationId, state, filter, from, to } = request;
    const scope = await this.#options.scopeOf(request);
    return scope && { destinationId, state, ...scope, ...filter, from, to };
  }

  async #candidates({ leavesFailed, connectedIds, ...query }: ScopedQuery): Promise<CandidatePage> {
    const { store } = this.#options;
    const isWhole = !leavesFailed && query.sourceIds.every((id) => connectedIds.includes(id));
    if (isWhole) return store.candidates(query);
    // A message that is left out uses no time of the pace: a page has far more messages than the batch needs.
    const { items, next } = await store.candidates({ ...query, limit: PAGE });
    const left = leavesFailed ? await this.#failed(query.destinationId, items) : new Set();
    const kept = items.filter((item) => !left.has(item.position) && goesOut(item, { connectedIds }));
    const page = kept.slice(0, query.limit);
    return { items: page, next: kept.length > page.length ? (page.at(-1)?.position ?? next) : next };
  }

  /** Positions of the events that have failed at a destination. */
  async #failed(of: string, events: readonly Pick<ReplayedEvent, 'position'>[]): Promise<ReadonlySet<Position>> {
    const states = await this.#options.store.statesOf(events.map(({ position }) => position));
    const failed = states.filter(({ destinationId, state }) => destinationId === of && state === 'failed');
    return new Set(failed.map(({ position }) => position));
  }

  async #save(replay: Replay): Promise<Replay> {
    const kept = await this.#options.store.saveReplay(replay);
    return kept ? replay : ((await this.#kept(replay.id)) ?? { ...replay, status: 'stopped' });
  }
}

const NO_RESULT: ReplayResult = { processed: 0, failed: 0, filtered: 0, retrying: 0 };

/** Takes the place of a deleted user's id. */
const DELETED = '(deleted)';

/** Before every position of the log. */
const FIRST = -1;

/** A batch is put into the retry queue this long before the last message of the batch before is due, milliseconds. */
const LEAD = 500;

type ScopedQuery = ReplayQuery & ReplayScope;

function goesOut({ sourceId, type }: ReplayedEvent, { connectedIds }: Pick<ReplayScope, 'connectedIds'>): boolean {
  return type === 'delete' || connectedIds.includes(sourceId);
}
