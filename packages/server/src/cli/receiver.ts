import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readJson } from '../core/json.ts';
import { pause } from '../core/pause.ts';
import { CommandFailure } from './io.ts';
import { type Verdict, verifier } from './verify.ts';

export interface ReceiverOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** A signature must fit one of these. If there are none, signatures are not checked. */
  readonly secrets: readonly string[];
  /** Status of the answers. */
  readonly status: number;
  /** Wait before each answer, milliseconds. */
  readonly delay: number;
  /** Share of requests, from 0 to 1, that get status 500 instead. */
  readonly failing: number;
  readonly random: () => number;
  readonly onArrival: (arrival: Arrival) => void;
}

/** A received request. */
export interface Arrival {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
  /** The body as JSON; empty if it is not JSON. */
  readonly message: Readonly<Record<string, unknown>>;
  readonly signature: Verdict;
  /** The status of the answer. */
  readonly status: number;
}

export interface Receiver {
  /** `http://HOST:PORT` */
  readonly url: string;
  /** Finishes answers that have begun, and closes connections that wait for a delayed answer. */
  stop(): Promise<void>;
}

/** A webhook endpoint that checks requests, and fails as the options say. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const check = verifier(options.secrets);
  const stopping = new AbortController();
  const answering = new Set<Promise<unknown>>();
  const answer = (response: ServerResponse, status: number): void => {
    if (response.destroyed) return;
    const over = once(response, 'close').finally(() => answering.delete(over));
    answering.add(over);
    response.writeHead(status, { 'content-type': 'text/plain' }).end(status < 300 ? 'ok' : 'failing on request');
  };
  // Imported here, because it also loads Node's `fetch`: a start of the service must not wait for that.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      if (body === null) return;
      const status = options.random() < options.failing ? FAILING_STATUS : options.status;
      const text = body.toString('utf8');
      const json = readJson(text);
      const message = typeof json === 'object' && json !== null ? { ...json } : {};
      const signature = check(request.headers, body);
      options.onArrival({ at: Date.now(), text, message, signature, status });
      if (options.delay > 0) {
        await pause(options.delay, stopping.signal);
        if (stopping.signal.aborted) return;
      }
      answer(response, status);
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(whyNot(error, options), { cause: error });
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    async stop() {
      stopping.abort();
      const closed = once(server, 'close');
      server.close();
      await Promise.all(answering);
      server.closeAllConnections();
      await closed;
    },
  };
}

const FAILING_STATUS = 500;

/** Far above any message. A larger request is cut off. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Null if the sender disconnected, or sent more than allowed. */
async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MAX_BODY_BYTES) return null;
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  } catch {
    // The sender disconnected during the body: there is no request to answer.
    return null;
  }
}

function whyNot(error: NodeJS.ErrnoException, { host, port }: ReceiverOptions): string {
  if (error.code === 'EADDRINUSE')
    return `port ${port} on ${host} is taken. Give another one with --port; 0 picks a free one.`;
  return `cannot listen on ${host}:${port}: ${error.message}`;
}
