import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../core/fault.ts';
import { type MostAtOnce, Places } from './places.ts';

/** Those of a part of the API, which end when the server closes: a stream is a request under way, which a close would wait for. */
export function streamsOf(app: Pick<FastifyInstance, 'addHook'>, most: MostAtOnce): OpenStreams {
  const streams = new OpenStreams(most);
  app.addHook('preClose', async () => streams.close());
  return streams;
}

/** The open streams of one kind. */
export class OpenStreams {
  readonly #places: Places;
  readonly #open = new Set<Readable>();
  #closed = false;

  constructor(most: MostAtOnce) {
    this.#places = new Places({ ...most, what: 'streams are open', advice: 'Close one', retryAfter: 10 });
  }

  /** @throws Fault `overloaded` when there is no place for one more of `who`, or the service stops. */
  open(who: string, make: () => Readable): Readable {
    if (this.#closed) throw new Fault('overloaded', 'The service is stopping.', { retryAfter: 5 });
    const leave = this.#places.take(who);
    const stream = make();
    this.#open.add(stream);
    return stream.once('close', () => {
      leave();
      this.#open.delete(stream);
    });
  }

  /** From now on every other is refused. */
  refuse(): void {
    this.#closed = true;
  }

  /** Ends all, and opens no other. */
  close(): void {
    this.refuse();
    // Not ended: what writes to them looks whether they are destroyed.
    for (const stream of this.#open) stream.destroy();
  }
}
