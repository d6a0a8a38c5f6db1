import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../core/clock.ts';
import { callerOf, watcherOf } from './caller.ts';
import type { AdminDeps } from './deps.ts';
import { streamsOf } from './open-streams.ts';

/** Bytes that wait to be taken before the next part is made. */
const AHEAD = 64 * 1024;
/** A client that takes nothing for so long has gone away, milliseconds. */
const TIMEOUT_MS = 60_000;

/** Files of one kind that are under way at once, and those of one caller. */
const MOST = { all: 10, ofOne: 2 };

export interface FileHead {
  readonly type: string;
  /** What a browser saves it as. */
  readonly name: string;
}

/** Sends files of one kind, each while it is made. @throws Fault `overloaded` when too many are under way. */
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
  /** Asked before each part: whether who takes it is still signed in. */
  readonly mayGoOn: () => Promise<boolean>;
}

/**
 * A file that is written while it is taken, a part at a time. It ends only when everything is in it: what fails destroys the stream, and with
 * it the connection, so that a client sees that the file is not complete.
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
