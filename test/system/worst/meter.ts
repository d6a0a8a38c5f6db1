import { Agent, request } from 'node:http';
import type { Service } from '../kit/service.ts';
import { ordinaryBatch } from './batches.ts';
import type { Probe } from './probe.ts';

/** A request as it goes over the wire. */
export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What came of a request; status 0 is none at all, and `held` null a process that does nothing more. */
export interface Outcome {
  readonly status: number;
  readonly text: string;
  readonly held: number | null;
  readonly bytes: number;
}

const DEADLINE_MS = 10_000;
const MEGABYTE = 1_048_576;

/** Times that an ordinary full batch holds the loop, and megabytes. */
const RULE = { times: 5, megabytes: 64 };

/** A noisy neighbour makes a request slower and never faster: what looks bad is asked again. */
const REPEATS = 12;
/** No neighbour is as noisy as that: once is enough. */
const CERTAIN = 20;

interface Finding {
  readonly name: string;
  readonly status: number;
  readonly held: number | null;
  readonly bytes: number;
}

/** Sends requests one at a time to a process that is measured, and holds them against an ordinary full batch. */
export class Meter {
  readonly findings: Finding[] = [];
  readonly #service: Service;
  readonly #probe: Probe;
  readonly #batchHeaders: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #references: number[] = [];
  #serial = 0;

  constructor(service: Service, probe: Probe, batchHeaders: Readonly<Record<string, string>>) {
    this.#service = service;
    this.#probe = probe;
    this.#batchHeaders = batchHeaders;
  }

  /** What makes each request another one. */
  once(): string {
    this.#serial += 1;
    return `once${this.#serial}`;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** How long an ordinary full batch holds the loop. */
  reference(): number {
    const sorted = this.#references.toSorted((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
  }

  /** Measures the ordinary batch once more. The first few times are not yet what it takes. */
  async measureReference(counts = true): Promise<void> {
    const body = ordinaryBatch(512_000, this.once());
    const headers = this.#batchHeaders;
    const { held, status } = await this.measure({ method: 'POST', path: '/v1/batch', headers, body });
    if (status !== 200) throw new Error(`an ordinary batch was answered ${status}`);
    if (counts && held !== null) this.#references.push(held);
  }

  /** Asks and notes it when the rule is broken, however often it is asked. Answers the first outcome. */
  async hold(name: string, make: () => Promise<Asked>): Promise<Outcome> {
    const first = await this.measure(await make());
    let best = first;
    for (let time = 0; time < REPEATS && best.held !== null && this.#breaks(best); time += 1) {
      if (best.held > CERTAIN * RULE.times * this.reference()) break;
      await this.measureReference();
      const again = await this.measure(await make());
      // One that the deadline cut off has no answer yet.
      const status = best.status === 0 ? again.status : best.status;
      // Another answer is another request: what is refused the second time says nothing of the first.
      if (again.status !== status || again.held === null) continue;
      best = { ...best, status, held: Math.min(best.held, again.held), bytes: Math.min(best.bytes, again.bytes) };
    }
    if (this.#breaks(best)) this.findings.push({ name, ...best });
    return first;
  }

  /** What broke the rule, a line each, the worst first. */
  report(): string[] {
    const broken = this.findings.filter((finding) => this.#breaks(finding));
    return broken.toSorted((a, b) => this.#times(b) - this.#times(a)).map((finding) => this.#line(finding));
  }

  /** One request, with a deadline. A process that hangs is ended and started anew. */
  async measure(asked: Asked): Promise<Outcome> {
    const ready = await this.#probe.begin(DEADLINE_MS);
    const { status, text } = ready ? await this.send(asked) : { status: 0, text: '' };
    const held = ready ? await this.#probe.end(DEADLINE_MS) : null;
    if (held !== null) return { status, text, ...held };
    await this.#restart();
    return { status, text, held: null, bytes: 0 };
  }

  send({ method, path, headers, body }: Asked): Promise<{ status: number; text: string }> {
    return new Promise((resolve) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      let status = 0;
      let text = '';
      const done = (): void => {
        clearTimeout(timer);
        resolve({ status, text });
      };
      const sent = request(this.#service.url + path, {
        method,
        agent: this.#agent,
        headers: { ...headers, ...length },
      });
      const timer = setTimeout(() => sent.destroy(), DEADLINE_MS);
      sent.on('response', (response) => {
        status = response.statusCode ?? 0;
        // A stream has no end to wait for.
        if (response.headers['content-type']?.startsWith('text/event-stream')) sent.destroy();
        response.on('data', (chunk: Buffer) => {
          if (text.length < MEGABYTE) text += chunk;
        });
        response.on('error', done);
        response.on('close', done);
      });
      sent.on('error', done);
      sent.end(body);
    });
  }

  async #restart(): Promise<void> {
    this.#probe.close();
    await this.#service.kill();
    await this.#service.start();
    await this.#probe.connect();
    for (let time = 0; time < 3; time += 1) await this.measureReference(false);
  }

  #times({ held }: Pick<Outcome, 'held'>): number {
    return held === null ? Number.POSITIVE_INFINITY : held / this.reference();
  }

  #breaks(outcome: Pick<Outcome, 'held' | 'bytes'>): boolean {
    return this.#times(outcome) > RULE.times || outcome.bytes > RULE.megabytes * MEGABYTE;
  }

  #line({ name, status, held, bytes }: Finding): string {
    const times = held === null ? 'the process hangs or is gone' : `${(held / this.reference()).toFixed(1)} times`;
    return `${name}: ${times}, ${Math.round(bytes / MEGABYTE)} MB (answered ${status})`;
  }
}
