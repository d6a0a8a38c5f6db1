import { createInbox, type Msg, nanos, type Subscription } from '@nats-io/transport-node';
import type { Link } from './link.ts';
import { laneOf } from './names.ts';

/** What a message of a lane's consumer says about itself, in the subject of its answer. */
export interface Delivered {
  readonly laneId: number;
  /** Its place in the stream. */
  readonly seq: number;
  /** It was handed out before, here or by another node. */
  readonly again: boolean;
  /** Where it is acknowledged. */
  readonly reply: string;
  readonly data: Uint8Array;
}

/** Why a request for messages is over. `expired`: nothing (more) came; `refused`: the consumer has no say now, or is gone. */
export type Ending = 'expired' | 'refused';

export interface PullListener {
  arrived(message: Delivered): void;
  /** The request with this number will bring nothing more. */
  ended(laneId: number, request: number, ending: Ending): void;
}

/**
 * Asks the lanes' consumers for messages, and takes what comes for all of them through one subscription: ten thousand
 * idle lanes cost ten thousand requests that wait at the servers, and nothing here.
 */
export class PullRequests {
  readonly #link: Link;
  readonly #inbox = createInbox();
  readonly #subscription: Subscription;

  constructor(link: Link, listener: PullListener) {
    this.#link = link;
    this.#subscription = link.nc.subscribe(`${this.#inbox}.>`, {
      callback: (error, message) => {
        if (error) return;
        if (message.subject.startsWith(this.#inbox)) this.#status(message, listener);
        else this.#message(message, listener);
      },
    });
  }

  /** Asks for `count` messages, and waits at the server `wait` milliseconds for them. */
  request(stream: string, consumer: string, laneId: number, request: number, count: number, wait: number): void {
    this.#link.nc.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
      JSON.stringify({ batch: count, expires: nanos(wait) }),
      { reply: `${this.#inbox}.${laneId}.${request}` },
    );
  }

  /** Asks for nothing more; resolves when all that the server had sent until then has been handed on. */
  async close(): Promise<void> {
    // A link that breaks meanwhile, or is down, has nothing to hand on: draining would wait for it for ever.
    const drained = this.#subscription.drain().catch(() => undefined);
    await Promise.race([drained, this.#link.nc.closed()]);
  }

  #message({ reply = '', data }: Msg, listener: PullListener): void {
    // $JS.ACK.<stream>.<consumer>.<times>.<sequence>.…, or with domain and account before the stream.
    const tokens = reply.split('.');
    const at = tokens.length === 9 ? 3 : 5;
    const laneId = laneOf(tokens[at] ?? '');
    if (laneId === undefined) return;
    const again = tokens[at + 1] !== '1';
    listener.arrived({ laneId, again, seq: Number(tokens[at + 2]), reply, data });
  }

  #status({ subject, headers }: Msg, listener: PullListener): void {
    const code = headers?.code ?? 0;
    if (code === 100) return;
    const [lane, request] = subject.slice(this.#inbox.length + 1).split('.');
    // 404 and 408: nothing there, or nothing came in time.
    listener.ended(Number(lane), Number(request), code === 404 || code === 408 ? 'expired' : 'refused');
  }
}
