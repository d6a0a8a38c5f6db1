/**
 * The straw man: the shortest program that goes the product's way, and so the rate to hold the product against. Accepts
 * calls, appends them to a synced log on a thread of its own (group commit), answers, dispatches, and records each
 * outcome in the same group commits. It signs as the product does. No retries, no recovery, no routing, no limits.
 *
 * Arguments: a folder for its data, the receiver's origin. Prints "listening on <port>"; GET /counts answers
 * `{"accepted","processed"}`.
 */
import { createHmac, createSecretKey } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { Pool } from 'undici';
import type { Commit } from './straw-man-store.ts';

const CONNECTIONS = 64;
/** Holding answers back keeps the backlog, and with it the heap, small: the rate is higher for it. */
const MOST_UNDELIVERED = 2_000;
const ANSWER = '{"success":true}';

const [folder, receiver = ''] = process.argv.slice(2);
const store = new Worker(new URL('straw-man-store.ts', import.meta.url), { workerData: { folder } });
const pool = new Pool(receiver, { connections: CONNECTIONS });
const key = createSecretKey('every delivery is signed, as it would be', 'utf8');
const headers = ['content-type', 'application/json', 'user-agent', 'Millrace/1.0', 'x-signature', ''];

/** What the next commit will hold, and what its end sets off. */
let bodies: Buffer[] = [];
let outcomes: number[] = [];
let answers: ServerResponse[] = [];
/** Durable, and not answered yet because too much is undelivered. */
let held: ServerResponse[] = [];
let committing = false;
let position = 0;
let accepted = 0;
let processed = 0;

interface Call {
  readonly type?: string;
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly event?: string;
  readonly properties?: object;
  readonly timestamp?: string;
  readonly context?: object;
  readonly messageId?: string;
}

const server = createServer((request, response) => {
  if (request.url === '/counts') return void response.end(JSON.stringify({ accepted, processed }));
  return read(request, (text) => accept(JSON.parse(text), response));
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${(server.address() as AddressInfo).port}`));

function read(request: IncomingMessage, done: (text: string) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => done(Buffer.concat(chunks).toString()));
}

function accept(parsed: { batch?: Call[] } & Call, response: ServerResponse): void {
  const receivedAt = new Date().toISOString();
  for (const call of parsed.batch ?? [parsed]) bodies.push(Buffer.from(delivered(call, receivedAt)));
  answers.push(response);
  commit();
}

function delivered(call: Call, receivedAt: string): string {
  return JSON.stringify({
    version: 1,
    type: call.type,
    userId: call.userId,
    event: call.event,
    properties: call.properties,
    timestamp: call.timestamp,
    context: call.context,
    anonymousId: call.anonymousId,
    messageId: call.messageId,
    receivedAt,
  });
}

/** One commit is under way at a time; what arrives meanwhile makes the next one. */
function commit(): void {
  if (committing || (bodies.length === 0 && outcomes.length === 0)) return;
  committing = true;
  const [events, settled, waiting] = [bodies, outcomes, answers];
  [bodies, outcomes, answers] = [[], [], []];
  const packed = concatenated(events);
  const message: Commit = {
    first: position,
    lengths: Uint32Array.from(events, (body) => body.length),
    bodies: packed,
    outcomes: Float64Array.from(settled),
  };
  store.postMessage(message, [packed.buffer]);
  store.once('message', () => committed(events, settled.length, waiting));
}

/** In memory of its own, so that it can be handed to the other thread uncopied. */
function concatenated(parts: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function committed(events: readonly Buffer[], settled: number, waiting: readonly ServerResponse[]): void {
  committing = false;
  processed += settled;
  accepted += events.length;
  for (const body of events) dispatch(position++, body);
  held.push(...waiting);
  if (accepted - processed < MOST_UNDELIVERED) answerHeld();
  commit();
}

function answerHeld(): void {
  for (const response of held) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length }).end(ANSWER);
  }
  held = [];
}

function dispatch(at: number, body: Buffer): void {
  headers[5] = createHmac('sha1', key).update(body).digest('hex');
  pool.dispatch({ path: '/ok', method: 'POST', headers, body }, new Handler(at));
}

class Handler {
  readonly #at: number;

  constructor(at: number) {
    this.#at = at;
  }

  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}

  onResponseEnd(): void {
    outcomes.push(this.#at);
    commit();
  }

  onResponseError(_: unknown, error: Error): void {
    throw error;
  }
}
