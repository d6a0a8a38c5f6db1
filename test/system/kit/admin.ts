import { randomUUID } from 'node:crypto';
import type {
  Counts,
  Delivery,
  Destination,
  DestinationStatus,
  NewDestination,
  NewSource,
  Page,
  Problem,
  Source,
  Trace,
} from '../../../packages/server/src/admin/contract.ts';
import { eventually } from './eventually.ts';
import { type Answer, ask, type Question } from './http.ts';

export type Call = Readonly<Record<string, unknown>>;

/** The two APIs of a service, as a user with curl has them. */
export abstract class Admin {
  abstract url: string;
  /** Everything that must never be seen in a log. */
  readonly secrets: Set<string> = new Set();
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
    this.secrets.add(token);
  }

  /** A request to the admin API, with its token. */
  api(method: string, path: string, body?: unknown): Promise<Answer> {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type: Record<string, string> = body === undefined ? {} : { 'Content-Type': 'application/json' };
    return ask(this.url + path, { method, headers: { Authorization: `Bearer ${this.#token}`, ...type }, ...json });
  }

  /** The same, which must succeed; answers the JSON. */
  async must<T>(method: string, path: string, body?: unknown): Promise<T> {
    const { status, text } = await this.api(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** The same, which must be refused. */
  async refused(method: string, path: string, body?: unknown): Promise<Problem> {
    const { status, text, headers } = await this.api(method, path, body);
    if (status < 400) throw new Error(`${method} ${path} was not refused: ${status} ${text}`);
    if (!headers['content-type']?.startsWith('application/problem+json')) {
      throw new Error(`${method} ${path} was refused without problem details: ${status} ${text}`);
    }
    return JSON.parse(text) as Problem;
  }

  async source(wish: Partial<NewSource> = {}): Promise<Source> {
    const source = await this.must<Source>('POST', '/api/sources', { name: 'Web shop', type: 'server', ...wish });
    this.secrets.add(source.writeKey);
    return source;
  }

  /** A destination for the source's calls. */
  async destination(
    source: Source,
    urls: string | readonly string[],
    wish: Partial<NewDestination> = {},
  ): Promise<Destination> {
    const { settings, ...rest } = wish;
    const webhooks = [urls].flat().map((url) => ({ url }));
    if (typeof settings?.sharedSecret === 'string' && settings.sharedSecret.length >= 12)
      this.secrets.add(settings.sharedSecret);
    return this.must('POST', '/api/destinations', {
      name: 'CRM',
      type: 'Webhooks',
      sourceIds: [source.id],
      settings: { webhooks, ...settings },
      ...rest,
    });
  }

  /** A request to the collection API, with the source's write key. */
  send(source: Source, path: string, body: unknown, question: Question = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
    const authorization = `Basic ${Buffer.from(`${source.writeKey}:`).toString('base64')}`;
    return ask(`${this.url}/v1/${path}`, {
      body: raw,
      ...question,
      headers: { Authorization: authorization, ...question.headers },
    });
  }

  /** A call that must be accepted; answers its messageId. */
  async accept(source: Source, call: Call = {}, type = 'track'): Promise<string> {
    const messageId = typeof call['messageId'] === 'string' ? call['messageId'] : randomUUID();
    const whole = { ...(type === 'track' ? { event: 'Tested' } : {}), userId: 'u1', ...call, messageId };
    const { status, text } = await this.send(source, type, whole);
    if (status !== 200 || text !== '{"success":true}') throw new Error(`not accepted: ${status} ${text}`);
    return messageId;
  }

  counts(destination: Destination): Promise<Counts> {
    return this.must('GET', `/api/destinations/${destination.id}/counts`);
  }

  status(destination: Destination): Promise<DestinationStatus> {
    return this.must('GET', `/api/destinations/${destination.id}/status`);
  }

  trace(messageId: string, source?: Source): Promise<Trace> {
    const of = source === undefined ? '' : `?sourceId=${source.id}`;
    return this.must('GET', `/api/messages/${encodeURIComponent(messageId)}${of}`);
  }

  deliveries(query: Readonly<Record<string, string>>): Promise<Page<Delivery>> {
    return this.must('GET', `/api/deliveries?${new URLSearchParams(query)}`);
  }

  /** The counts once nothing waits. They must add up whenever they are read. */
  settled(destination: Destination, accepted: number, timeout?: number): Promise<Counts> {
    const read = async (): Promise<Counts> => addUp(await this.counts(destination));
    return eventually(read, (counts) => counts.accepted === accepted && counts.waiting === 0, timeout);
  }

  /** The trace once the message's only delivery has this state. */
  tracedAs(messageId: string, state: string): Promise<Trace> {
    return eventually(
      () => this.trace(messageId),
      ({ lanes }) => lanes.length === 1 && lanes[0]?.state === state,
    );
  }
}

/** @throws Error when they don't (contract 12). */
export function addUp(counts: Counts): Counts {
  const { accepted, processed, failed, filtered, waiting, retrying } = counts;
  const whole = Object.values(counts).every((count) => Number.isInteger(count) && count >= 0);
  if (!whole || accepted !== processed + failed + filtered + waiting || retrying > waiting) {
    throw new Error(`the counts do not add up: ${JSON.stringify(counts)}`);
  }
  return counts;
}
