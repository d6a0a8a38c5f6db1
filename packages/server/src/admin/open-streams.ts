import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { Fault } from '../core/fault.ts';

/** At most so many streams at once, so many of them of one caller: others must find room. */
export interface Places {
  readonly all: number;
  readonly ofOne: number;
}

/** Those of a part of the API, which end when the server closes: a stream is a request under way, which a close would wait for. */
export function streamsOf(app: Pick<FastifyInstance, 'addHook'>, places: Places): OpenStreams {
  const streams = new OpenStreams(places);
  app.addHook('preClose', async () => streams.close());
  return streams;
}

/** The open streams of one kind. */
export class OpenStreams {
  readonly #places: Places;
  readonly #open = new Map<Readable, string>();
  #closed = false;

  constructor(places: Places) {
    this.#places = places;
  }

  /** @throws Fault `overloaded` when there is no place for one more of `who`, or the service stops. */
  demandPlace(who: string): void {
    const { all, ofOne } = this.#places;
    if (this.#closed) throw new Fault('overloaded', 'The service is stopping.', { retryAfter: 5 });
    const most = (count: number, of: string): Fault =>
      new Fault('overloaded', `${count} streams are open already, which is the most ${of}. Close one and try again.`, {
        retryAfter: 10,
      });
    if (this.#open.size >= all) throw most(all, 'at once');
    if ([...this.#open.values()].filter((other) => other === who).length >= ofOne) throw most(ofOne, 'of one caller');
  }

  add(stream: Readable, who: string): void {
    this.#open.set(stream, who);
    stream.once('close', () => this.#open.delete(stream));
  }

  /** From now on every other is refused. */
  refuse(): void {
    this.#closed = true;
  }

  /** Ends all, and opens no other. */
  close(): void {
    this.refuse();
    // Not ended: what writes to them looks whether they are destroyed.
    for (const stream of this.#open.keys()) stream.destroy();
  }
}
