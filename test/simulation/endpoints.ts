import type { Clock } from '../../packages/server/src/core/clock.ts';
import type { Outcome } from '../../packages/server/src/core/delivery.ts';
import type { OpenSender, Outgoing, Sender } from '../../packages/server/src/deliver/sender.ts';
import type { Random } from './random.ts';

/** How an endpoint does while it is up. `every` n means each nth message, by its number: the same ones on every attempt. */
export type Behaviour =
  | { readonly kind: 'healthy'; readonly ms: readonly [number, number] }
  | { readonly kind: 'hanging' }
  | { readonly kind: 'failing'; readonly status: number }
  | { readonly kind: 'poisoned'; readonly every: number }
  | { readonly kind: 'refusing'; readonly every: number }
  | { readonly kind: 'limiting'; readonly perSecond: number; readonly status: 429 | 503; readonly retryAfter: number }
  | { readonly kind: 'broken'; readonly chance: number }
  | { readonly kind: 'untrusted' };

/** A time in which it is down, by any other plan too; from ≤ time < to, milliseconds since the epoch. */
export interface Outage {
  readonly from: number;
  readonly to: number;
  readonly as: 'hanging' | 'refused' | 'unavailable';
}

export interface EndpointPlan {
  readonly url: string;
  readonly behaviour: Behaviour;
  readonly outages: readonly Outage[];
}

/** One request as the endpoint saw it. */
export interface Receipt {
  readonly url: string;
  readonly text: string;
  readonly messageId: string;
  readonly at: number;
  /** Null until it has ended. */
  answeredAt: number | null;
  outcome: Outcome | null;
  /** The number of the sender it came through: a new one is opened when the settings change or the process starts. */
  readonly sender: number;
}

/** Is told of every request as it comes and as it ends. */
export interface Witness {
  sent(receipt: Receipt, inFlight: number): void;
  answered(receipt: Receipt, inFlight: number): void;
}

/** As long as an attempt may take until its headers are there, milliseconds. */
export const TIMEOUT = 5_000;

/** The simulated internet: what each URL answers, and when. */
export class Endpoints {
  readonly #plans: ReadonlyMap<string, EndpointPlan>;
  readonly #random: Random;
  readonly #witness: Witness;
  /** Requests of one message at one URL so far. */
  readonly #seen = new Map<string, number>();
  /** Requests each limiting URL took in the present second. */
  readonly #taken = new Map<string, { second: number; count: number }>();
  #senders = 0;

  constructor(plans: Iterable<EndpointPlan>, random: Random, witness: Witness) {
    this.#plans = new Map([...plans].map((plan) => [plan.url, plan]));
    this.#random = random;
    this.#witness = witness;
  }

  /** Senders for one life of the process; its clock ends with it. */
  openSender(clock: Clock): OpenSender {
    return ({ webhook }) => new SimulatedSender(webhook.url, this.#senders++, clock, this, this.#witness);
  }

  /** What becomes of a request that comes now, and after how many milliseconds. */
  answer(url: string, messageId: string, now: number): { ms: number; outcome: Outcome } {
    const plan = this.#plans.get(url);
    if (!plan) throw new Error(`No plan for ${url}.`);
    const key = `${url} ${messageId}`;
    const count = this.#seen.get(key) ?? 0;
    this.#seen.set(key, count + 1);
    // By message and count alone: what else goes on in the world changes nothing here.
    const random = this.#random.fork(`${key} ${count}`);
    const outage = plan.outages.find(({ from, to }) => from <= now && now < to);
    if (outage) return down(outage.as, random);
    return this.#behave(plan, Number(messageId.slice(1)), random, now);
  }

  #behave(
    { url, behaviour }: EndpointPlan,
    number: number,
    random: Random,
    now: number,
  ): { ms: number; outcome: Outcome } {
    const soon = random.int(1, 60);
    switch (behaviour.kind) {
      case 'healthy':
        return { ms: random.int(...behaviour.ms), outcome: answered(random.pick([200, 200, 201, 204])) };
      case 'hanging':
        return down('hanging', random);
      case 'failing':
        return { ms: soon, outcome: answered(behaviour.status) };
      case 'poisoned':
        return { ms: soon, outcome: answered(number % behaviour.every === 0 ? 500 : 200) };
      case 'refusing':
        return { ms: soon, outcome: answered(number % behaviour.every === 0 ? random.pick([400, 404, 422]) : 200) };
      case 'limiting':
        return {
          ms: soon,
          outcome: this.#limit(url, behaviour, now) ? answered(behaviour.status, behaviour.retryAfter) : answered(200),
        };
      case 'broken':
        if (!random.chance(behaviour.chance)) return { ms: soon, outcome: answered(200) };
        return {
          ms: soon,
          outcome: lost('temporary', random.pick(['connection_reset', 'protocol_error', 'connection_closed'])),
        };
      case 'untrusted':
        return { ms: soon, outcome: lost('permanent', 'certificate_untrusted') };
      default:
        throw new Error(`Unknown behaviour ${behaviour satisfies never}`);
    }
  }

  #limit(url: string, { perSecond }: { readonly perSecond: number }, now: number): boolean {
    const second = Math.floor(now / 1000);
    const known = this.#taken.get(url);
    const taken = known?.second === second ? known : { second, count: 0 };
    this.#taken.set(url, taken);
    return ++taken.count > perSecond;
  }
}

class SimulatedSender implements Sender {
  readonly #url: string;
  readonly #number: number;
  readonly #clock: Clock;
  readonly #endpoints: Endpoints;
  readonly #witness: Witness;
  readonly #inFlight = new Map<Receipt, { end: (outcome: Outcome) => void; cancel: () => void }>();
  #closed = false;

  constructor(url: string, number: number, clock: Clock, endpoints: Endpoints, witness: Witness) {
    this.#url = url;
    this.#number = number;
    this.#clock = clock;
    this.#endpoints = endpoints;
    this.#witness = witness;
  }

  send({ body }: Outgoing, done: (outcome: Outcome) => void): void {
    if (this.#closed) {
      this.#clock.after(0, () => done(ABORTED));
      return;
    }
    const text = Buffer.from(body).toString('latin1');
    const messageId = /"messageId":"(\w+)"/.exec(text)?.[1] ?? 'm0';
    const at = this.#clock.now();
    const receipt: Receipt = {
      url: this.#url,
      text,
      messageId,
      at,
      answeredAt: null,
      outcome: null,
      sender: this.#number,
    };
    const end = (outcome: Outcome): void => {
      this.#inFlight.delete(receipt);
      receipt.answeredAt = this.#clock.now();
      receipt.outcome = outcome;
      this.#witness.answered(receipt, this.#inFlight.size);
      done(outcome);
    };
    const { ms, outcome } = this.#endpoints.answer(this.#url, messageId, at);
    this.#inFlight.set(receipt, { end, cancel: this.#clock.after(ms, () => end(outcome)) });
    this.#witness.sent(receipt, this.#inFlight.size);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await null;
    for (const { end, cancel } of [...this.#inFlight.values()]) {
      cancel();
      end(ABORTED);
    }
  }
}

function down(as: Outage['as'], random: Random): { ms: number; outcome: Outcome } {
  if (as === 'hanging') return { ms: TIMEOUT, outcome: lost('temporary', 'timeout') };
  if (as === 'refused') return { ms: random.int(1, 5), outcome: lost('temporary', 'connection_refused') };
  return { ms: random.int(1, 60), outcome: answered(503) };
}

function answered(status: number, retryAfter: number | null = null): Outcome {
  const temporary = status >= 500 || status === 429 || status === 408;
  const success = status >= 200 && status < 300;
  const outcome = success ? 'success' : temporary ? 'temporary' : 'permanent';
  return { class: outcome, status, error: null, detail: null, retryAfter, answer: null };
}

function lost(outcome: 'temporary' | 'permanent', error: string): Outcome {
  return { class: outcome, status: null, error, detail: error, retryAfter: null, answer: null };
}

const ABORTED: Outcome = lost('temporary', 'aborted');

/** The simulated URLs carry their destination's id in their host name. */
export function destinationOf(url: string): string {
  return url.slice('https://'.length, url.indexOf('.test'));
}
