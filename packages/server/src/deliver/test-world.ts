import { setImmediate } from 'node:timers/promises';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { Claimed, DeliveryResult, Outcome, Retry } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { LogEntry, Position } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { LaneReader } from '../log/contract.ts';
import type { Claims } from './retry-queue.ts';
import type { Runner } from './runner.ts';
import type { RunnerWorld } from './runner-world.ts';
import type { OpenSender } from './sender.ts';

export const success: Outcome = {
  class: 'success',
  status: 200,
  error: null,
  detail: null,
  retryAfter: null,
  answer: null,
};
export const refused: Outcome = { ...success, class: 'permanent', status: 400 };
export const down: Outcome = { ...success, class: 'temporary', status: 503 };
const aborted: Outcome = { ...down, status: null, error: 'aborted' };

/** A request that waits for its answer. */
interface Request {
  readonly url: string;
  readonly messageId: string;
  readonly end: (outcome: Outcome) => void;
}

/** The world of a runner, in which requests are answered, and records made, when the test says so. */
export class TestWorld implements RunnerWorld, Claims {
  readonly clock: HandClock = new HandClock();
  readonly policy: RunnerWorld['policy'] = { base: 5_000, cap: 600_000, window: 3_600_000 };
  readonly maxConcurrency: number = 64;
  readonly retention: number = 604_800_000;
  /** How many nodes there are, and what this one told the others: `down dst_1`. */
  nodes = 1;
  readonly told: string[] = [];
  /** Whether it knows what other nodes have changed, and what is called when it asks. */
  isCurrent = true;
  catchUp: () => Promise<unknown> = async () => undefined;
  readonly peers: RunnerWorld['peers'] = {
    count: () => this.nodes,
    tell: (destinationId, news) => this.told.push(`${news} ${destinationId}`),
    isCurrent: () => this.isCurrent,
    caughtUp: () => this.catchUp(),
  };
  readonly meter: RunnerWorld['meter'] = { attempted: () => undefined, settled: () => undefined };
  readonly claims: Claims = this;
  /** Everything that was recorded, in order. */
  readonly results: DeliveryResult[] = [];
  readonly errors: unknown[] = [];
  /** Every request there was, as `URL messageId`. */
  readonly sent: string[] = [];
  /** What is in the retry queue, and is due. */
  retryQueue: Retry[] = [];
  /** What stands there too, without its body. */
  gone: Retry[] = [];
  readonly released: Retry[] = [];
  /** While true, records do not become durable. */
  storeStandsStill = false;
  /** URLs that answer by themselves. */
  readonly answers: Map<string, Outcome> = new Map();
  readonly #claimed = new Map<Position, Retry>();
  #underWay: Request[] = [];

  random(): number {
    return 0;
  }

  report(error: unknown): void {
    this.errors.push(error);
  }

  record(result: DeliveryResult, recorded: () => void): void {
    this.results.push(result);
    if (!this.storeStandsStill) queueMicrotask(recorded);
  }

  async claimDue(_: string, __: number, max: number): ReturnType<Claims['claimDue']> {
    const items = this.retryQueue.splice(0, max);
    const gone = this.gone.splice(0);
    for (const retry of [...items, ...gone]) this.#claimed.set(retry.entry.position, retry);
    return { items, gone, nextDueAt: this.retryQueue.length > 0 ? 0 : null };
  }

  /** All of it is due. */
  readonly hasten: RunnerWorld['hasten'] = async () => 0;

  release(claimed: readonly Claimed[]): void {
    this.released.push(...claimed.flatMap(({ entry }) => this.#claimed.get(entry.position) ?? []));
  }

  get openSender(): OpenSender {
    return ({ webhook: { url } }) => {
      const own = new Set<Request>();
      return {
        send: ({ body }, done) => {
          const messageId = Buffer.from(body).toString();
          const end = (outcome: Outcome): void => {
            own.delete(request);
            this.#underWay = this.#underWay.filter((other) => other !== request);
            done(outcome);
          };
          const request: Request = { url, messageId, end };
          own.add(request);
          this.sent.push(`${url} ${messageId}`);
          this.#underWay.push(request);
          const answer = this.answers.get(url);
          if (answer) queueMicrotask(() => end(answer));
        },
        close: async () => {
          for (const request of [...own]) request.end(aborted);
        },
      };
    };
  }

  /** Requests that wait for their answer, as `URL messageId`. */
  get underWay(): string[] {
    return this.#underWay.map(({ url, messageId }) => `${url} ${messageId}`);
  }

  /** Answers the oldest request to the URL, or that of one message. */
  async answer(url: string, outcome: Outcome, messageId?: string): Promise<void> {
    const request = this.#underWay.find((each) => each.url === url && (messageId ?? each.messageId) === each.messageId);
    if (!request) throw new Error(`Nothing is under way to ${url}.`);
    request.end(outcome);
    await setImmediate();
  }

  /** Gives the lane `m1` and has each URL answer it; answers which URLs are left for it. */
  async firstRound(lane: TestLane, answers: Readonly<Record<string, Outcome>>): Promise<readonly string[] | null> {
    await lane.give(entryOf('m1'));
    for (const [url, outcome] of Object.entries(answers)) await this.answer(url, outcome);
    return this.endsOf('m1')[0]?.urlsLeft ?? null;
  }

  /** These are in its retry queue, and due: the runner is told, and takes them. */
  async queue(runner: Runner, ...retries: readonly Retry[]): Promise<void> {
    this.retryQueue = [...retries];
    runner.wake();
    await this.pass(0);
  }

  /** The same world, but for some of it. */
  with(changes: Partial<RunnerWorld>): RunnerWorld {
    return {
      ...this,
      openSender: this.openSender,
      random: () => this.random(),
      report: (error) => this.report(error),
      record: (result, recorded) => this.record(result, recorded),
      ...changes,
    };
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await setImmediate();
  }

  /** What became of a message, latest last. */
  endsOf(messageId: string): DeliveryResult[] {
    return this.results.filter(({ entry }) => entry.messageId === messageId);
  }
}

/** A lane that hands out what it is given. */
export class TestLane implements LaneReader {
  readonly acked: Position[] = [];
  #entries: LogEntry[] = [];
  #wake: () => void = () => undefined;

  async pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    while (this.#entries.length === 0) {
      await new Promise<void>((resolve, reject) => {
        this.#wake = resolve;
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    }
    return this.#entries.splice(0, max);
  }

  ack(positions: readonly Position[]): void {
    this.acked.push(...positions);
  }

  async give(...entries: LogEntry[]): Promise<void> {
    this.#entries.push(...entries);
    this.#wake();
    await setImmediate();
  }

  /** How many were not asked for yet. */
  get left(): number {
    return this.#entries.length;
  }
}

let position = 0;

export function entryOf(messageId: string, changes: Partial<LogEntry> = {}): LogEntry {
  const words = { type: 'track', name: 'E', userId: 'u', integrations: null, unsent: null } as const;
  const body = Buffer.from(messageId);
  return {
    position: ++position,
    sourceId: 'src_1',
    messageId,
    receivedAt: 1_800_000_000_000,
    timestamp: 1_800_000_000_000,
    body,
    ...words,
    ...changes,
  };
}

export function retryOf(messageId: string, changes: Partial<Retry> = {}): Retry {
  const entry = entryOf(messageId);
  const round = { rounds: 1, firstAt: entry.receivedAt, urlsLeft: null, isReplay: false };
  return { laneId: 1, destinationId: 'dst_1', entry, ...round, ...changes };
}

export function laneOf(id: number, sourceId = 'src_1', destinationId = 'dst_1'): Lane {
  return { id, sourceId, destinationId, after: 0, until: null };
}

export function destinationOf(urls: readonly string[], changes: Partial<Destination> = {}): Destination {
  const webhooks = urls.map((url) => ({ id: url, url, headers: {} }));
  const words = { name: 'CRM', type: 'Webhooks', createdAt: '2027-01-15T08:00:00.000Z', updatedAt: null } as const;
  const rest = {
    sourceIds: ['src_1', 'src_2'],
    enabled: true,
    sharedSecret: null,
    trackFilter: null,
    maxEventAgeHours: null,
  };
  return { id: 'dst_1', webhooks, ...words, ...rest, ...changes };
}
