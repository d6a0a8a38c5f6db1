/**
 * A client library by itself, in a process of its own with `--expose-gc`. Arguments: the library (`millrace` or
 * `segment`), what is measured, and its parameters:
 *
 *     calls <seconds>                        time per call, no network
 *     memory <calls>                         heap per call that waits because the service does not answer
 *     rate <seconds> <port> <write key>      calls to the real service
 *
 * Prints a `ClientCost` as JSON. Both libraries run with their defaults, but where calls are timed both are told to wait for
 * more of them than come between two flushes. A call is about 1 KB.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Millrace } from '../../packages/client/src/node.ts';
import { callText } from '../calls.ts';

export interface ClientCost {
  /** Nanoseconds per call until it returned. */
  readonly returnNanos?: number;
  /** Until it waited in a batch, with nothing more to be done for it: what a library puts off it does right after. */
  readonly queueNanos?: number;
  /** Until its request was handed to `fetch` and the answer taken. */
  readonly sendNanos?: number;
  /** Bytes of heap per waiting message. */
  readonly queuedBytes?: number;
  readonly events?: number;
  readonly seconds?: number;
  readonly cpuSeconds?: number;
}

interface Client {
  track(call: Call): void;
  flush(): Promise<unknown>;
}

interface Call {
  readonly userId: string;
  readonly event: string;
}

interface ClientOptions {
  readonly writeKey: string;
  readonly endpoint: string;
  readonly flushAt?: number;
  readonly fetch?: typeof globalThis.fetch;
  readonly onFailed: (error: unknown) => void;
}

/** Calls between two flushes, where they are timed: fewer than fit into one request of either. */
const TIMED_BURST = 400;
const FLUSH_AT = 1_000;

/** Calls between two flushes to the service. */
const BURST = 1_000;
const WARM_BURSTS = 20;

/** Turns of the event loop after which a call waits in its batch. */
const TURNS = 3;

const NOWHERE = 'http://127.0.0.1:9';

const [library, measure, ...rest] = process.argv.slice(2);
const parameters = rest.map(Number);
if (measure === 'calls') console.log(JSON.stringify(await timeCalls(parameters[0] ?? 0)));
else if (measure === 'memory') console.log(JSON.stringify(await weigh(parameters[0] ?? 0)));
else console.log(JSON.stringify(await rate(parameters[0] ?? 0, parameters[1] ?? 0, rest[2] ?? '')));
// Requests that are never answered are still under way.
process.exit();

async function timeCalls(seconds: number): Promise<ClientCost> {
  const fetch = (): Promise<Response> => Promise.resolve(new Response('{"success":true}'));
  const client = await create({ writeKey: 'any', endpoint: NOWHERE, flushAt: FLUSH_AT, fetch, onFailed: fail });
  const calls = someCalls(TIMED_BURST);
  for (let i = 0; i < WARM_BURSTS; i++) await timeBurst(client, calls);
  const sum = { returned: 0, queued: 0, sent: 0 };
  let events = 0;
  for (; sum.sent < seconds * 1000; events += calls.length) {
    const { returned, queued, sent } = await timeBurst(client, calls);
    sum.returned += returned;
    sum.queued += queued;
    sum.sent += sent;
  }
  const each = (ms: number): number => (ms / events) * 1e6;
  return { returnNanos: each(sum.returned), queueNanos: each(sum.queued), sendNanos: each(sum.sent) };
}

/** Milliseconds since its beginning. */
async function timeBurst(
  client: Client,
  calls: readonly Call[],
): Promise<{ returned: number; queued: number; sent: number }> {
  const startedAt = performance.now();
  for (const call of calls) client.track(call);
  const returned = performance.now() - startedAt;
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
  const queued = performance.now() - startedAt;
  await client.flush();
  return { returned, queued, sent: performance.now() - startedAt };
}

async function weigh(count: number): Promise<ClientCost> {
  // A request under way is held by its connection, body and all.
  const underWay: unknown[] = [];
  const fetch = (_: unknown, request?: RequestInit): Promise<Response> =>
    new Promise((answer) => underWay.push([request, answer]));
  const client = await create({ writeKey: 'any', endpoint: NOWHERE, fetch, onFailed: fail });
  const text = oneCall();
  client.track(JSON.parse(text) as Call);
  const before = await heapBytes();
  // Each call is a fresh object with strings of its own, as a request handler makes it, and no other code keeps it.
  for (let i = 0; i < count; i++) client.track(JSON.parse(text) as Call);
  const queuedBytes = ((await heapBytes()) - before) / count;
  if (underWay.length === 0) fail('No request was begun');
  client.track(JSON.parse(text) as Call);
  return { queuedBytes };
}

async function rate(seconds: number, port: number, writeKey: string): Promise<ClientCost> {
  const client = await create({ writeKey, endpoint: `http://127.0.0.1:${port}`, onFailed: fail });
  const calls = someCalls(BURST);
  const burst = async (): Promise<void> => {
    for (const call of calls) client.track(call);
    await client.flush();
  };
  for (let i = 0; i < WARM_BURSTS; i++) await burst();
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  let events = 0;
  for (; performance.now() - startedAt < seconds * 1000; events += calls.length) await burst();
  const { user, system } = process.cpuUsage(cpu);
  return { events, seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
}

async function create(options: ClientOptions): Promise<Client> {
  if (library === 'millrace') {
    const { writeKey, onFailed, ...rest } = options;
    return new Millrace(writeKey, { onError: onFailed, ...rest });
  }
  const file = pathToFileURL(join(import.meta.dirname, '../rival/segment.js')).href;
  const { createClient } = (await import(file)) as { createClient(options: ClientOptions): Client };
  return createClient(options);
}

function someCalls(count: number): readonly Call[] {
  const text = oneCall();
  return Array.from({ length: count }, () => JSON.parse(text) as Call);
}

/** What the application gives; the library adds the type, the messageId and the time. */
function oneCall(): string {
  const { type, messageId, timestamp, ...call } = JSON.parse(callText({ run: 'client', stamped: false }));
  return JSON.stringify(call);
}

/** Of what is still referred to, once all that was begun has come to rest. */
async function heapBytes(): Promise<number> {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    globalThis.gc?.();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A figure with messages missing would be none. */
function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}
