import { createInbox, type Msg, nanos, type Subscription } from '@nats-io/transport-node';
import type { Link } from './link.ts';
import { laneOf } from './names.ts';

/** A message from a lane's consumer. Its reply subject contains the other fields. */
export interface Delivered {
  readonly laneId: number;
  /** Its sequence in the stream. */
  readonly seq: number;
  /** Whether the message was delivered before, to any node. */
  readonly again: boolean;
  /** The subject to which it is acknowledged. */
  readonly reply: string;
  readonly data: Uint8Array;
}

/** Why a request for messages ended. `expired`: no (further) messages came in time. `refused`: the consumer has no leader now, or is gone. */
export type Ending = 'expired' | 'refused';

export interface PullListener {
  arrived(message: Delivered): void;
  /** The request with this number brings no further messages. */
  ended(laneId: number, request: number, ending: Ending): void;
}

/**
 * Requests messages from the lanes' consumers. All lanes share one subscription, so ten thousand idle lanes cost ten thousand
 * requests at the servers and nothing here.
 */
export class PullRequests {
  readonly #link: Link;
  readonly #inbox = createInbox();
  readonly #subscription: Subscription;
  #last = 0;

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

  /** Requests `count` messages. The request waits at the server for `wait` milliseconds. Answers its number, which no other request of this process has. */
  request(stream: string, consumer: string, laneId: number, count: number, wait: number): number {
    const request = ++this.#last;
    this.#link.nc.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
      JSON.stringify({ batch: count, expires: nanos(wait) }),
      { reply: `${this.#inbox}.${laneId}.${request}` },
    );
    return request;
  }

  /** Ends the subscription. Resolves when everything that the server had sent before has been passed on. */
  async close(): Promise<void> {
    // Without a connection there is nothing to pass on, and draining would never end.
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
    // 404: no messages. 408: no messages in time.
    listener.ended(Number(lane), Number(request), code === 404 || code === 408 ? 'expired' : 'refused');
  }
}
