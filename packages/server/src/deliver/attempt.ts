import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { AttemptTiming, Outcome } from '../core/delivery.ts';
import { parseRetryAfter } from '../core/retry-after.ts';
import { classifyStatus } from '../core/send-error.ts';
import type { SendError } from './classify.ts';
import type { Connection, Opening } from './connection.ts';
import type { Outgoing } from './sender.ts';

/** Most of a response body that is kept for display, bytes (contract 3). */
export const MAX_KEPT = 1024;

/** Leaves credentials out of a text. */
export type Hide = (text: string) => string;

/** What the sender does at each step of an attempt. */
export interface AttemptEvents {
  /** The response headers are in: the status decides from here on. */
  answered(attempt: Attempt): void;
  /** The response is read to its end, and the connection is good for another request. */
  completed(attempt: Attempt): void;
  failed(attempt: Attempt, error: Error): void;
}

/**
 * One request and what is known of its response. undici calls it as the response comes in; it only takes notes and tells
 * the sender, which decides.
 */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly message: Outgoing;
  readonly done: (outcome: Outcome) => void;
  connection: Connection | null = null;
  cancelDeadline: () => void = () => undefined;
  /** 0 until the response headers are in. */
  status = 0;
  /** A byte of the response has come. */
  begun = false;
  /** Set once, when the attempt is decided; what happens afterwards changes nothing. */
  outcome: Outcome | null = null;
  /** The connection is not ready for another request. */
  spoiled = false;
  /** When a connection got the request, a time of `performance`. */
  sentAt = 0;
  readonly #events: AttemptEvents;
  #headers: ResponseHeaders = {};
  #headAt: number | null = null;
  #kept: Buffer | null = null;
  #read = 0;

  constructor(message: Outgoing, done: (outcome: Outcome) => void, events: AttemptEvents) {
    this.message = message;
    this.done = done;
    this.#events = events;
  }

  onRequestStart(): void {
    // undici insists on this method; there is nothing to note yet.
  }

  onResponseStarted(): void {
    this.begun = true;
  }

  onResponseStart(_: unknown, status: number, headers: ResponseHeaders): void {
    // 1xx responses come before the final one.
    if (status < 200 || this.outcome !== null) return;
    this.status = status;
    this.#headers = headers;
    this.#headAt = performance.now();
    this.#events.answered(this);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    if (this.outcome !== null) return;
    if (this.#read < MAX_KEPT) {
      const part = chunk.subarray(0, MAX_KEPT - this.#read);
      this.#kept = this.#kept === null ? part : Buffer.concat([this.#kept, part]);
    }
    this.#read += chunk.length;
  }

  onResponseEnd(): void {
    if (this.outcome === null) this.#events.completed(this);
  }

  onResponseError(_: unknown, error: Error): void {
    if (this.outcome === null) this.#events.failed(this, error);
  }

  /** The outcome that the status means, with the part of the answer that came. */
  answer(now: number): Outcome {
    const outcome = classifyStatus(this.status);
    const [retryAfter] = [this.#headers['retry-after']].flat();
    const wait = outcome === 'temporary' && retryAfter !== undefined;
    return {
      class: outcome,
      status: this.status,
      error: null,
      detail: null,
      retryAfter: wait ? parseRetryAfter(retryAfter, now) : null,
      answer: this.#text(),
    };
  }

  /**
   * The outcome, and beside it where the time went and what headers the answer had: for an attempt that failed or opened a connection.
   * `hide` leaves credentials out of all texts.
   */
  explained(decided: Outcome, hide: Hide | null): Outcome {
    const outcome = hide === null ? decided : withoutCredentials(decided, hide);
    const opening = this.connection?.takeOpening() ?? null;
    if (outcome.class === 'success') return opening === null ? outcome : { ...outcome, timing: this.#timing(opening) };
    const headers = keptHeaders(this.#headers, hide);
    const timing = this.connection === null ? null : this.#timing(opening);
    return { ...outcome, ...(timing && { timing }), ...(headers && { headers }) };
  }

  #timing(opening: Opening | null): AttemptTiming {
    const { dns = null, connect = null, tls = null, readyAt = null } = opening ?? {};
    const begun = Math.max(this.sentAt, readyAt ?? 0);
    const firstByte = this.#headAt === null ? null : this.#headAt - begun;
    return { dns: tenths(dns), connect: tenths(connect), tls: tenths(tls), firstByte: tenths(firstByte) };
  }

  /** The kept bytes as text. A character that the limit cuts in two is left out. */
  #text(): string | null {
    if (this.#kept === null) return null;
    return this.#read > MAX_KEPT ? new StringDecoder('utf8').write(this.#kept) : this.#kept.toString('utf8');
  }
}

/** The outcome of a request that got no answer. */
export function failure(error: SendError): Outcome {
  return { ...error, status: null, retryAfter: null, answer: null };
}

function withoutCredentials(outcome: Outcome, hide: Hide): Outcome {
  const { answer, detail } = outcome;
  return { ...outcome, answer: answer === null ? null : hide(answer), detail: detail === null ? null : hide(detail) };
}

type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers that tell who answered, what, and when to try again. */
const KEPT_HEADERS = [
  ...['content-type', 'retry-after', 'server', 'date', 'x-request-id', 'location', 'www-authenticate', 'via'],
];
const MAX_HEADER = 200;

/** The headers that are kept, each cut to its limit; null when there is none. */
function keptHeaders(headers: ResponseHeaders, hide: Hide | null): Record<string, string> | null {
  const kept: Record<string, string> = {};
  for (const name of KEPT_HEADERS) {
    const value = [headers[name]].flat().join(', ');
    if (value !== '') kept[name] = (hide?.(value) ?? value).slice(0, MAX_HEADER);
  }
  return Object.keys(kept).length === 0 ? null : kept;
}

function tenths(ms: number | null): number | null {
  return ms === null ? null : Math.max(0, Math.round(ms * 10) / 10);
}
