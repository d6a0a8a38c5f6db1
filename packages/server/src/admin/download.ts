import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { callerOf, watcherOf } from './caller.ts';
import type { AdminDeps } from './deps.ts';
import { streamsOf } from './open-streams.ts';

/** The most unread bytes before the next part is made. */
const AHEAD = 64 * 1024;
/** A client that reads nothing for this long counts as disconnected, milliseconds. */
const TIMEOUT_MS = 60_000;

/** The most files of one kind at the same time: in total, and per caller. */
const MOST = { all: 10, ofOne: 2 };

export interface FileHead {
  readonly type: string;
  /** The file name for browsers. */
  readonly name: string;
}

/** Sends files of one kind, each while it is made. @throws Fault `overloaded` if too many are being sent. */
export function fileSender(
  app: Pick<FastifyInstance, 'addHook'>,
  { accounts, clock }: Pick<AdminDeps, 'accounts' | 'clock'>,
): (request: FastifyRequest, reply: FastifyReply, head: FileHead, parts: AsyncIterable<string>) => FastifyReply {
  const streams = streamsOf(app, MOST);
  return (request, reply, { type, name }, parts) => {
    const caller = callerOf(request);
    const mayGoOn = (): Promise<boolean> => accounts.isStillIn(caller);
    const stream = streams.open(watcherOf(caller), () => download(parts, { clock, mayGoOn }));
    return reply.type(type).header('content-disposition', `attachment; filename="${name}"`).send(stream);
  };
}

export interface Download {
  readonly clock: Clock;
  /** Called before each part: whether the caller is still signed in. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * A file that is made part by part while the client reads it. The stream ends normally only if the file is complete. An error
 * destroys the stream and the connection, so that the client notices the incomplete file.
 */
export function download(parts: AsyncIterable<string>, { clock, mayGoOn }: Download): Readable {
  const stream: Readable = Readable.from(watched(), { objectMode: false, highWaterMark: AHEAD });
  let cancel = (): void => undefined;
  const waitForTaker = (): void => {
    cancel();
    cancel = clock.after(TIMEOUT_MS, () => stream.destroy(new Error('The file was not taken in time.')));
  };
  stream.once('close', () => cancel());
  waitForTaker();

  async function* watched(): AsyncIterable<string> {
    for await (const part of parts) {
      if (!(await mayGoOn())) throw new Error('Who takes the file was signed out, or has another role.');
      yield part;
      waitForTaker();
    }
  }
  return stream;
}
