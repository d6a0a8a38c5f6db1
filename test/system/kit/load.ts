import { Agent } from 'node:http';
import type { Source } from '../../../packages/server/src/admin/contract.ts';
import type { Answer } from './http.ts';
import type { Service } from './service.ts';

export interface LoadOptions {
  /** Requests under way at once. */
  readonly parallel: number;
  /** Calls in the batch that is sent next. */
  readonly size: () => number;
  /** Wait after each batch, milliseconds: a load that leaves the machine room; default none. */
  readonly pause?: number;
  /** Each batch is sent again until it has its 200, as clients do; then nothing is left open. */
  readonly persistent?: boolean;
}

/** A batch that is refused for so long will not get through later either, milliseconds. */
const TIMEOUT_MS = 60_000;
/** Against a service that is down a loop would turn without end. */
const PAUSE_MS = 10;

/** Sends one batch after the other until it is stopped, and knows which calls got their 200. */
export class Load {
  /** messageIds of every call that was answered 200. */
  readonly accepted: Set<string> = new Set();
  /** Answers that were no 200, by status; `0` counts requests that got no answer. */
  readonly others: Map<number, number> = new Map();
  /** The last answer that was no 200. */
  refusal: Answer | null = null;
  readonly #service: Service;
  readonly #source: Source;
  readonly #options: LoadOptions;
  readonly #agent: Agent;
  readonly #prefix: string;
  #sent = 0;
  #running = false;
  #abandoned = false;
  #workers: Promise<void>[] = [];

  constructor(service: Service, source: Source, options: LoadOptions, prefix = 'm') {
    this.#service = service;
    this.#source = source;
    this.#options = options;
    this.#prefix = prefix;
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.parallel });
  }

  start(): void {
    this.#running = true;
    this.#workers = Array.from({ length: this.#options.parallel }, () => this.#work());
    // What one of them met is told by stop().
    for (const worker of this.#workers) worker.catch(() => undefined);
  }

  /**
   * Resolves when every request has been answered, or has failed; of a persistent load, when each was answered 200.
   *
   * @throws Error when a persistent one did not get through.
   */
  async stop(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#workers);
    this.#agent.destroy();
  }

  /** Ends it wherever it is; for a test that failed. */
  abandon(): void {
    this.#abandoned = true;
    this.#running = false;
  }

  /** One batch; true when it got its 200. */
  send(): Promise<boolean> {
    return this.#send(this.#next());
  }

  #next(): string[] {
    return Array.from({ length: this.#options.size() }, () => `${this.#prefix}${this.#sent++}`);
  }

  async #send(ids: readonly string[]): Promise<boolean> {
    const batch = ids.map((messageId) => ({ type: 'track', event: 'Load', userId: 'u', messageId }));
    try {
      const answer = await this.#service.send(this.#source, 'batch', { batch }, { agent: this.#agent });
      if (answer.status === 200) for (const id of ids) this.accepted.add(id);
      else this.#count(answer.status, answer);
      return answer.status === 200;
    } catch {
      // The service is down, and these calls may or may not have been taken: no client was told that they were.
      this.#count(0, null);
      return false;
    }
  }

  async #work(): Promise<void> {
    while (this.#running) {
      const ids = this.#next();
      const giveUpAt = Date.now() + TIMEOUT_MS;
      while (!(await this.#send(ids))) {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        if (!this.#options.persistent || this.#abandoned) break;
        if (Date.now() > giveUpAt) throw new Error(`a batch did not get through: ${this.refusal?.text}`);
      }
      if (this.#options.pause) await new Promise((resolve) => setTimeout(resolve, this.#options.pause));
    }
  }

  #count(status: number, answer: Answer | null): void {
    this.others.set(status, (this.others.get(status) ?? 0) + 1);
    if (answer) this.refusal = answer;
  }
}
