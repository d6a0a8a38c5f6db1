import type { Clock } from '../core/clock.ts';
import type { Outcome } from '../core/delivery.ts';
import type { SendErrorCode } from '../core/send-error.ts';
import { Attempt, type AttemptEvents, failure, type Hide } from './attempt.ts';
import { classifyError, sendError } from './classify.ts';
import { type ConnectSettings, createConnect } from './connect.ts';
import { Connection } from './connection.ts';
import { hiding } from './credentials.ts';
import { headersFor } from './request.ts';
import type { OpenSender, Outgoing, Sender, SenderOptions, SourceTypeOf } from './sender.ts';

export interface SendSettings extends ConnectSettings {
  readonly sourceTypeOf: SourceTypeOf;
  readonly clock: Clock;
  /** Milliseconds from `send` to the response headers, DNS and connecting included. */
  readonly timeout: number;
  /** Most connections to one URL. Further requests wait for one; their timeout runs meanwhile. */
  readonly connections: number;
}

/** Milliseconds the body may take after the headers. */
const BODY_TIME = 1000;

/**
 * Senders over real HTTP/1.1. An attempt goes through these states, and `done` is called at its end:
 *
 *     waiting for headers ── status ──► reading ── body ended ──► done, by status; the connection is used again
 *            │                             ├──── 64 KiB or 1 s ──► done, by status; the connection is dropped
 *            │                             └──── error ──────────► done, by status
 *            ├── timeout, close ─────────────────────────────────► done, as failed; the connection is dropped
 *            └── error ──────────────────────────────────────────► done, as failed
 *
 * Redirects are not followed. A request that fails before a byte of its response on a connection that has answered before
 * is sent once more, at once, in the time it has left: the usual reason is a server that closed the idle connection at
 * that very moment. A receiver that got it twice sees the same messageId twice, as with any retry.
 */
export function createOpenSender(settings: SendSettings): OpenSender {
  return (options) => new HttpSender(settings, options);
}

class HttpSender implements Sender, AttemptEvents {
  readonly #clock: Clock;
  readonly #timeout: number;
  readonly #headers: (message: Outgoing) => string[];
  readonly #path: string;
  readonly #hide: Hide | null;
  /** Attempts without an outcome. */
  readonly #underWay = new Set<Attempt>();
  readonly #connections: readonly Connection[];
  /** Free connections, the last used at the end: a quiet lane keeps few sockets open. */
  readonly #idle: Connection[];
  /** Attempts that wait for a connection. */
  readonly #waiting: Attempt[] = [];
  /** Attempts with an outcome that is not reported yet. */
  #decided: Attempt[] = [];
  #closed: Promise<void> | null = null;
  certificateEndsAt: number | null = null;

  constructor(settings: SendSettings, options: SenderOptions) {
    const url = new URL(options.webhook.url);
    const connect = createConnect(settings, (endsAt) => {
      this.certificateEndsAt = endsAt;
    });
    this.#clock = settings.clock;
    const { timeout = settings.timeout, connections = settings.connections } = options;
    this.#timeout = timeout;
    this.#headers = headersFor(options, settings.sourceTypeOf);
    this.#path = url.pathname + url.search;
    this.#hide = hiding(options.webhook.headers);
    this.#connections = Array.from({ length: connections }, () => new Connection(url.origin, connect));
    this.#idle = [...this.#connections];
  }

  send(message: Outgoing, done: (outcome: Outcome) => void): void {
    const attempt = new Attempt(message, done, this);
    this.#underWay.add(attempt);
    attempt.cancelDeadline = this.#clock.after(this.#timeout, () => this.#timedOut(attempt));
    if (this.#closed !== null) this.#drop(attempt, failure(sendError('aborted')));
    else this.#waiting.push(attempt);
    this.#dispatchWaiting();
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  answered(attempt: Attempt): void {
    attempt.cancelDeadline();
    attempt.cancelDeadline = this.#clock.after(BODY_TIME, () => this.filled(attempt));
  }

  completed(attempt: Attempt): void {
    if (attempt.connection !== null) attempt.connection.reused = true;
    this.#decide(attempt, attempt.answer(this.#clock.now()));
  }

  filled(attempt: Attempt): void {
    this.#drop(attempt, attempt.answer(this.#clock.now()));
  }

  failed(attempt: Attempt, error: Error): void {
    const reason = classifyError(error);
    if (attempt.status !== 0) this.#decide(attempt, attempt.answer(this.#clock.now()));
    else if (canResend(attempt, reason.error)) this.#resend(attempt);
    else this.#decide(attempt, failure(reason));
  }

  /** Happens once: the new connection has answered no request before. */
  #resend(attempt: Attempt): void {
    // Not within undici's own callback, where undici still holds the broken socket.
    queueMicrotask(() => {
      if (attempt.outcome === null && attempt.connection !== null) this.#dispatch(attempt, attempt.connection);
    });
  }

  #timedOut(attempt: Attempt): void {
    const opening = attempt.connection !== null && !attempt.connection.isOpen;
    const included = opening ? 'and no connection was open by then' : 'DNS and connecting included';
    this.#drop(attempt, failure(sendError('timeout', `${this.#timeout} ms, ${included}`)));
  }

  #dispatchWaiting(): void {
    while (this.#waiting.length > 0) {
      const connection = this.#idle.pop();
      if (connection === undefined) return;
      const attempt = this.#waiting.shift();
      if (attempt === undefined || attempt.outcome !== null) this.#idle.push(connection);
      else this.#dispatch(attempt, connection);
    }
  }

  #dispatch(attempt: Attempt, connection: Connection): void {
    attempt.connection = connection;
    attempt.sentAt = performance.now();
    const { message } = attempt;
    const headers = this.#headers(message);
    connection.dispatch({ method: 'POST', path: this.#path, headers, body: message.body }, attempt);
  }

  /** Decides an attempt whose connection can't be used again. */
  #drop(attempt: Attempt, outcome: Outcome): void {
    attempt.spoiled = true;
    this.#decide(attempt, outcome);
  }

  #decide(attempt: Attempt, outcome: Outcome): void {
    attempt.cancelDeadline();
    this.#underWay.delete(attempt);
    attempt.outcome = attempt.explained(outcome, this.#hide);
    // Reported later, never within undici's callbacks: the caller may send again at once.
    if (this.#decided.push(attempt) === 1) queueMicrotask(() => this.#tell());
  }

  #tell(): void {
    const decided = this.#decided;
    this.#decided = [];
    for (const { connection, spoiled } of decided) {
      if (connection === null) continue;
      if (spoiled) connection.drop();
      this.#idle.push(connection);
    }
    this.#dispatchWaiting();
    for (const { outcome, done } of decided) {
      if (outcome !== null) done(outcome);
    }
  }

  async #close(): Promise<void> {
    for (const attempt of this.#underWay) {
      if (attempt.status === 0) this.#drop(attempt, failure(sendError('aborted')));
      else this.filled(attempt);
    }
    for (const connection of this.#connections) connection.drop();
    await Promise.all(this.#connections.map((connection) => connection.dropped()));
  }
}

/** Whether the connection had answered a request before, and broke before the first byte of this answer. */
function canResend({ connection, begun }: Attempt, error: SendErrorCode): boolean {
  const lost = error === 'connection_closed' || error === 'connection_reset';
  return lost && connection?.reused === true && !begun;
}
