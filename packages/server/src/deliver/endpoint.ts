import type { Outcome } from '../core/delivery.ts';
import type { Webhook } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { failure } from './attempt.ts';
import { sendError } from './classify.ts';
import type { Limiter } from './limiter.ts';
import type { Pace } from './pace.ts';
import type { Sender } from './sender.ts';
import { Throughput } from './throughput.ts';

/** After this many failures in a row a URL counts as stalled. */
const STALLED_AFTER = 8;
/** An endpoint's Retry-After holds up other messages for this long at most; the message that got it waits the whole time. */
const LONGEST_PAUSE_MS = 30_000;
/** A message waits for a URL no longer than this, as far as can be told, while another URL keeps up. */
const PATIENCE_MS = 60_000;
/** Nor where the endpoint asked for a pause that still takes longer than this. */
const SHORT_PAUSE_MS = 10_000;
/** While more bytes than this wait for a URL, its destination begins no further message. */
export const MOST_WAITING_BYTES: number = 8 * 1024 * 1024;
/** A URL counts as overloaded for this long after a message was not sent to it for that. */
const OVERLOADED_MS = 60_000;

/** A message of the retry queue that was left out comes again after this long at most: the URL may be faster by then. */
const LONGEST_TURN_MS = 600_000;

/** The outcome for a message that does not wait for a URL that takes fewer messages than come. */
const OVERLOADED: Outcome = failure(sendError('url_overloaded'));

/** One attempt of a message at one URL. */
export interface Job {
  readonly position: Position;
  /** Of the message's body. */
  readonly bytes: number;
  /** Whether the message came from the retry queue. */
  readonly isRetry: boolean;
  /** Whether the message waits however long it takes: a delete notice. */
  readonly isLasting: boolean;
  start(): void;
  /** Leaves the URL out of the message's round; `instead` is recorded in place of its answer. */
  skip(instead: Outcome): void;
}

/** One URL of a destination: its sender, and how it has answered lately. */
export class Endpoint {
  readonly webhook: Webhook;
  readonly sender: Sender;
  readonly #limiter: Limiter;
  readonly #pace: Pace;
  readonly #window: () => number;
  readonly #former: () => number;
  /** Attempts that wait for a free request, oldest first. */
  #waiting: Job[] = [];
  #waitingBytes = 0;
  readonly #throughput = new Throughput();
  #overloadedUntil = Number.NEGATIVE_INFINITY;
  /** When the message of the retry queue that was left out last comes again. */
  #turnAt = Number.NEGATIVE_INFINITY;
  #inFlight = 0;
  #failures = 0;
  #pausedUntil = 0;
  #retired = false;
  #lastError: string | null = null;

  /**
   * `pace`: of the destination. `window`: the retry window, milliseconds; a pause is no longer than it, so that a last round is
   * not delayed past its end. `former`: requests under way to the same URL under earlier settings.
   */
  constructor(
    webhook: Webhook,
    sender: Sender,
    limiter: Limiter,
    pace: Pace,
    window: () => number,
    former: () => number = () => 0,
  ) {
    this.#window = window;
    this.#former = former;
    this.webhook = webhook;
    this.sender = sender;
    this.#limiter = limiter;
    this.#pace = pace;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get limit(): number {
    return this.#limiter.limit;
  }

  /** How the last failed request ended, in words; null after a success. */
  get lastError(): string | null {
    return this.#lastError;
  }

  /** Whether it has failed several times in a row: a message does not wait for it where another URL works. */
  get stalled(): boolean {
    return this.#failures >= STALLED_AFTER;
  }

  /** Until when the endpoint asked for a pause (Retry-After), milliseconds since the epoch; in the past where it asked for none. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  free(now: number): boolean {
    const underWay = this.#inFlight + this.#former();
    return underWay < this.#limiter.limit && now >= this.#pausedUntil && this.#pace.free(now);
  }

  /** Makes the attempt at once where a request is free, else in its turn. */
  add(job: Job, now: number): void {
    if (this.#waiting.length === 0 && this.free(now)) this.#start(job, now);
    else {
      this.#waiting.push(job);
      this.#waitingBytes += job.bytes;
      this.#throughput.begin(now);
    }
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Whether it takes messages as fast as they come: none that waits, and none that comes, is expected to wait for too long. */
  keepsUp(now: number): boolean {
    const most = this.#mostWaiting(now);
    return !this.stalled && most > 0 && this.#waiting.length <= most;
  }

  /** Whether messages were not sent to it lately, because they would have waited for too long. */
  isOverloaded(now: number): boolean {
    return now < this.#overloadedUntil;
  }

  /** Begins attempts that wait, as far as requests are free. */
  startWaiting(now: number): void {
    let started = 0;
    while (started < this.#waiting.length && this.free(now)) {
      const job = this.#waiting[started++];
      if (job) this.#start(job, now);
    }
    if (started > 0) this.#took(this.#waiting.splice(0, started));
  }

  /** Skips attempts that wait: all of them, or those of these messages. */
  skipWaiting(instead: Outcome, positions?: ReadonlySet<Position>): void {
    this.#skip(
      ({ position }) => positions?.has(position) ?? true,
      () => instead,
    );
  }

  /** Skips attempts that would wait for too long, those that came last. */
  skipExcess(now: number): void {
    const most = this.#mostWaiting(now);
    const skipped = this.#skip(
      ({ isLasting }, place) => place >= most && !isLasting,
      ({ isRetry }) => (isRetry ? { ...OVERLOADED, retryAfter: this.#nextTurn(now) } : OVERLOADED),
    );
    if (skipped > 0) this.#overloadedUntil = now + OVERLOADED_MS;
  }

  /** Skips the attempts that wait and are meant; answers how many. */
  #skip(isMeant: (job: Job, place: number) => boolean, insteadOf: (job: Job) => Outcome): number {
    const skipped = this.#waiting.filter(isMeant);
    if (skipped.length === 0) return 0;
    this.#waiting = this.#waiting.filter((job, place) => !isMeant(job, place));
    this.#took(skipped);
    for (const job of skipped) job.skip(insteadOf(job));
    return skipped.length;
  }

  /** How many attempts may wait. One may always, unless the endpoint has asked for a long pause: the pace may be slow on demand. */
  #mostWaiting(now: number): number {
    if (this.#pausedUntil - now > SHORT_PAUSE_MS) return 0;
    const most = this.#throughput.within(PATIENCE_MS, now);
    if (most === Number.POSITIVE_INFINITY) return most;
    // Of large messages fewer, so that there is room for further ones.
    const bytesOfEach = this.#waitingBytes / this.#waiting.length || 1;
    return Math.max(1, Math.min(most, MOST_WAITING_BYTES / 2 / bytesOfEach));
  }

  /**
   * After how long a message of the retry queue that is left out comes again: when those that wait, and those that were left out
   * before it, have been taken. So a long queue is not looked at again and again, and is taken as fast as the URL can.
   */
  #nextTurn(now: number): number | null {
    if (this.#mostWaiting(now) === 0) return null;
    const forEach = PATIENCE_MS / Math.max(1, this.#throughput.within(PATIENCE_MS, now));
    this.#turnAt = Math.min(Math.max(this.#turnAt, now + PATIENCE_MS) + forEach, now + LONGEST_TURN_MS);
    return this.#turnAt - now;
  }

  #took(jobs: readonly Job[]): void {
    for (const { bytes } of jobs) this.#waitingBytes -= bytes;
    if (this.#waiting.length === 0) this.#throughput.rest();
  }

  #start(job: Job, now: number): void {
    this.#inFlight++;
    this.#pace.take(now);
    job.start();
  }

  ended(outcome: Outcome, ms: number, now: number): void {
    const inFlight = this.#inFlight--;
    this.#throughput.ended(now);
    if (outcome.class === 'temporary') {
      this.#failures++;
      this.#limiter.overloaded(now);
      // Only these two statuses say something about the endpoint rather than about this message.
      if (outcome.retryAfter !== null && (outcome.status === 429 || outcome.status === 503)) {
        const until = now + Math.min(outcome.retryAfter, LONGEST_PAUSE_MS, this.#window());
        // Several requests may be under way: the longest pause that one of them asks for counts.
        this.#pausedUntil = Math.max(this.#pausedUntil, until);
      }
    } else {
      this.#failures = 0;
      this.#limiter.succeeded(ms, inFlight);
    }
    this.#lastError = outcome.class === 'success' ? null : (outcome.detail ?? `HTTP ${outcome.status}`);
    this.#closeWhenIdle();
  }

  /** The destination has recovered from an outage. */
  restart(): void {
    this.#limiter.restart();
    this.#throughput.forget();
    this.#turnAt = Number.NEGATIVE_INFINITY;
    this.#pausedUntil = 0;
  }

  /** Takes no more requests; its connections are closed once those under way have ended. */
  retire(): void {
    this.#retired = true;
    this.#closeWhenIdle();
  }

  #closeWhenIdle(): void {
    if (this.#retired && this.#inFlight === 0 && this.#waiting.length === 0) void this.sender.close();
  }
}
