import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../core/fault.ts';
import { type MostAtOnce, places, type TakePlace } from './places.ts';

/** The open streams of a part of the API. They end when the server closes: a stream is a running request, which a close would wait for. */
export function streamsOf(app: Pick<FastifyInstance, 'addHook'>, most: MostAtOnce): OpenStreams {
  const streams = new OpenStreams(most);
  app.addHook('preClose', async () => streams.close());
  return streams;
}

/** The open streams of one kind. */
export class OpenStreams {
  readonly #takePlace: TakePlace;
  readonly #open = new Set<Readable>();
  #closed = false;

  constructor(most: MostAtOnce) {
    this.#takePlace = places({ ...most, what: 'streams are open', advice: 'Close one', retryAfter: 10 });
  }

  /** Opens a stream. @throws Fault `overloaded` if `who` or all together have too many, or the service stops. */
  open(who: string, make: () => Readable): Readable {
    if (this.#closed) throw new Fault('overloaded', 'The service is stopping.', { retryAfter: 5 });
    const leave = this.#takePlace(who);
    const stream = make();
    this.#open.add(stream);
    return stream.once('close', () => {
      leave();
      this.#open.delete(stream);
    });
  }

  /** Refuses new streams from now on. */
  refuse(): void {
    this.#closed = true;
  }

  /** Ends all streams and refuses new ones. */
  close(): void {
    this.refuse();
    // Destroyed, not ended: writers check whether a stream is destroyed.
    for (const stream of this.#open) stream.destroy();
  }
}
