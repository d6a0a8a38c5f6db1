import type { Outcome } from './attempt.ts';
import { BATCH_CALLS, ENVELOPE_BYTES } from './body.ts';
import { errorOf } from './error.ts';
import { Keeper } from './keeper.ts';
import { byteLength } from './message.ts';
import type { FetchInit, Settings } from './options.ts';
import { type Flight, Outbox } from './outbox.ts';
import type { Entry } from './queue.ts';
import type { Runtime } from './runtime.ts';

/** Most bytes of bodies in requests with `keepalive`. Browsers refuse more than 64 KiB at once. */
const KEEPALIVE_BYTES = 64_000;

const SECOND = 1_000;

/** The position of a message that only gets reported: no flush of this page waits for it. */
const APART = -1;

/**
 * An outbox in a page, which may end, or be shown again, at any time. When the page is hidden, the outbox sends what fits
 * in a `keepalive` request, which outlives the page, and keeps the rest in localStorage. A page that loads, is shown or
 * comes online takes the kept messages of every page. Without network, nothing is sent and no attempt counts.
 *
 * If the page ends before such a request is answered, no code gets the answer. So the outbox stores a copy of the
 * messages of the request, and removes it when the answer comes. Another page sends a remaining copy again, and the
 * service drops the messages that it already has.
 */
export class PageOutbox extends Outbox {
  readonly #keeper: Keeper;
  /** Flights that were tried: the bytes of a running request that outlives the page, else 0. */
  readonly #safe = new WeakMap<Flight, number>();
  /** The storage keys of the copies of their messages. */
  readonly #copies = new Map<Flight, string>();
  /** The last attempt failed. */
  #failing = false;
  /** Settings of a batch's first attempt: its request outlives the page. */
  readonly #outliving: Settings;
  readonly #writeKeyBytes: number;
  /** Settings of the last request of a page. The write key is in the body: an Authorization header would need a preflight first. */
  readonly #leaving: Settings;
  readonly #listening = new AbortController();
  #wentOnline = (): void => {};
  #cancelLook = (): void => {};

  constructor(settings: Settings, runtime: Runtime) {
    super(settings, runtime);
    const writeKey = `{"writeKey":${JSON.stringify(settings.writeKey)},`;
    this.#writeKeyBytes = writeKey.length;
    this.#outliving = withInit(settings);
    this.#leaving = withInit(settings, ({ body }) => ({
      headers: { 'Content-Type': 'text/plain' },
      body: writeKey + body.slice(1),
    }));
    this.#keeper = new Keeper(settings);
    const listen = (target: EventTarget, event: string, run: () => void): void =>
      target.addEventListener(event, run, { signal: this.#listening.signal });
    listen(window, 'pagehide', () => this.#leave());
    listen(window, 'pageshow', () => void this.#takeKept());
    // An element named `hidden` takes the place of the document's property, and is not true.
    listen(document, 'visibilitychange', () => (document.hidden === true ? this.#leave() : void this.#takeKept()));
    listen(window, 'online', () => {
      this.#failing = false;
      this.#wentOnline();
      this.pump();
      void this.#takeKept();
    });
    void this.#takeKept();
  }

  /** Messages that were taken from an earlier page and are not sent yet are kept again. */
  override stop(): void {
    this.#listening.abort();
    this.#cancelLook();
    this.#leave();
    super.stop();
  }

  protected override settle(entry: Entry, as: 'delivered' | 'failed' | null): void {
    if (entry.position !== APART) super.settle(entry, as);
  }

  protected override isDue(): boolean {
    return navigator.onLine && super.isDue();
  }

  /** Only the first attempt of a batch uses `keepalive`: browsers limit the bytes of such requests and refuse more. */
  protected override async attempt(
    flight: Flight,
    settings: Settings = this.#safe.has(flight) ? this.settings : this.#outliving,
  ): Promise<Outcome> {
    this.#safe.set(flight, settings === this.settings ? 0 : bytesOf(flight.entries));
    const outcome = await super.attempt(flight, settings);
    this.#safe.set(flight, 0);
    if (!flight.over) this.#failing = Boolean(outcome.error);
    const copy = this.#copies.get(flight);
    if (copy) {
      this.#copies.delete(flight);
      const isMine = this.#keeper.drop(copy);
      if (outcome.error && outcome.again && !flight.over) this.#handOver(flight, isMine, outcome.retryAfter);
    }
    // The batch made room in the queue.
    if (!outcome.error) void this.#takeKept();
    return outcome;
  }

  /**
   * After a failed attempt, leaves the messages in localStorage for the page shown next. If another page took the copy,
   * that page has them already.
   */
  #handOver(flight: Flight, isMine: boolean, retryAfter: number): void {
    this.#keep(this.abandon(flight), isMine);
    this.#takeKeptIn(retryAfter || SECOND);
  }

  protected override async wait(flight: Flight, ms: number): Promise<void> {
    await super.wait(flight, ms);
    while (!navigator.onLine && !flight.over) {
      await new Promise<void>((resolve) => {
        this.#wentOnline = resolve;
        flight.stop = resolve;
      });
    }
  }

  /**
   * The page may end at any moment: sends or keeps every message. Without network or after a failed attempt, keeps all:
   * the last request can't be repeated.
   */
  #leave(): void {
    const kept: Entry[] = [];
    let room = KEEPALIVE_BYTES - ENVELOPE_BYTES - this.#writeKeyBytes;
    for (const flight of this.flights) {
      const safe = this.#safe.get(flight);
      if (safe) {
        room -= safe;
        this.#copy(flight);
      } else {
        kept.push(...this.abandon(flight));
      }
    }
    if (navigator.onLine && !this.#failing) {
      const last = this.queue.take(BATCH_CALLS, room);
      if (last.length > 0) {
        const flight = this.begin(last);
        this.#copy(flight);
        void this.#sendApart(flight);
      }
    }
    kept.push(...this.queue.take());
    if (kept.length > 0) this.#keep(kept);
  }

  /** `isMine` is false for messages that another page has taken. */
  #keep(entries: readonly Entry[], isMine = true): void {
    const cause = isMine && this.#keeper.keep(entries.map(({ text }) => text));
    if (cause) {
      this.fail(entries, errorOf('not_kept', `The browser could not keep the message: ${cause}`, { cause }));
      return;
    }
    this.settings.debug?.(`kept ${entries.length} messages for later`);
    for (const entry of entries) this.settle(entry, null);
  }

  /** If storage takes no copy, the messages are still sent. */
  #copy(flight: Flight): void {
    if (this.#copies.has(flight)) return;
    const copy = this.#keeper.copy(flight.entries.map(({ text }) => text));
    if (copy) this.#copies.set(flight, copy);
  }

  async #takeKept(): Promise<void> {
    if (!navigator.onLine || document.hidden === true) return;
    const wait = await this.#keeper.take(
      (texts, isForgotten) => {
        const entries = texts.map((text) => ({ text, bytes: byteLength(text), position: APART }));
        if (isForgotten) {
          this.fail(
            entries,
            errorOf('unconfirmed', 'The page ended before the answer, too long ago to send it again.'),
          );
          return;
        }
        for (const entry of entries) this.push(entry);
        this.makeDue();
      },
      // A lot larger than the queue may be has the empty queue to itself.
      (count) =>
        !this.#listening.signal.aborted && count + this.queue.length <= Math.max(this.settings.maxQueue, count),
    );
    if (wait !== null) this.#takeKeptIn(wait);
  }

  #takeKeptIn(ms: number): void {
    this.#cancelLook();
    if (!this.#listening.signal.aborted) this.#cancelLook = this.runtime.after(ms, () => void this.#takeKept());
  }

  /** Sends a batch while another one may be in flight. If it fails without a copy, its messages go back to the queue. */
  async #sendApart(flight: Flight): Promise<void> {
    const outcome = await this.attempt(flight, this.#leaving);
    if (flight.over) return;
    if (!outcome.error) {
      this.conclude(flight, outcome);
    } else if (outcome.again) {
      for (const entry of this.abandon(flight)) this.queue.push(entry);
      this.makeDue();
    } else {
      this.fail(this.abandon(flight), outcome.error);
    }
  }
}

/** Bytes of a body with these messages. */
function bytesOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { bytes }) => sum + bytes + 1, ENVELOPE_BYTES);
}

/** Settings whose fetch uses `keepalive` and the given changes. */
function withInit(settings: Settings, change?: (init: FetchInit) => Partial<FetchInit>): Settings {
  return { ...settings, fetch: (url, init) => settings.fetch(url, { ...init, keepalive: true, ...change?.(init) }) };
}
