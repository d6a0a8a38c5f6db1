import type { AnyEvents, Counts, EventMap } from './calls.ts';
import { Millrace as Client } from './client.ts';
import { errorOf } from './error.ts';
import type { Options } from './options.ts';
import { Outbox } from './outbox.ts';
import { type Runtime, standard } from './runtime.ts';

export type * from './calls.ts';
export type { MillraceError } from './error.ts';
export type { Fetch, Logger, Options } from './options.ts';

/** The part of Node that this file uses. */
interface NodeGlobals {
  readonly process: { readonly env: Readonly<Record<string, string | undefined>> };
  setTimeout(run: () => void, ms: number): { unref(): void };
}

const node = globalThis as unknown as NodeGlobals;

/** The longest delay of a timer, in milliseconds (2^31 - 1): the interval of the timer that keeps the process alive during a flush. */
const FOREVER = 0x7fffffff;

const runtime: Runtime = {
  ...standard,
  after(ms, run) {
    const timer = node.setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer as never);
  },
  hold() {
    const timer = setInterval(() => {}, FOREVER);
    return () => clearInterval(timer);
  },
  debug: () => names(node.process.env['DEBUG']),
};

/** Whether a list as in `DEBUG=http,analytics` names `analytics`. */
function names(list: string | undefined): boolean {
  return (list ?? '').split(/[\s,]+/).some((name) => name === 'analytics' || name === '*');
}

/** An outbox whose time can be ended. */
class NodeOutbox extends Outbox {
  /** Stops sending. Reports the remaining messages as `closed`. */
  expire(): void {
    const left = [...this.flights].flatMap((flight) => this.abandon(flight));
    this.fail([...left, ...this.queue.take()], errorOf('closed', 'The client was closed before it could be sent.'));
  }
}

/**
 * The client in Node. Waiting messages do not keep the process alive, unless a flush waits for them. `DEBUG=analytics`
 * shows what the client does.
 */
export class Millrace<Events extends EventMap<Events> = AnyEvents> extends Client<Events> {
  readonly #expire: () => void;

  constructor(writeKey: string, options: Options = {}) {
    let expire = (): void => {};
    super(writeKey, options, runtime, (settings) => {
      const outbox = new NodeOutbox(settings, runtime);
      expire = () => outbox.expire();
      return outbox;
    });
    this.#expire = expire;
  }

  /** Like `close` of every client. With `within` (milliseconds), messages not delivered by then are reported as `closed`. */
  override close({ within }: { readonly within?: number } = {}): Promise<Counts> {
    const closing = super.close();
    if (within === undefined) return closing;
    return closing.finally(runtime.after(within, this.#expire));
  }
}
