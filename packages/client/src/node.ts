import type { AnyEvents, Counts, EventMap } from './calls.ts';
import { Millrace as Client } from './client.ts';
import { errorOf } from './error.ts';
import { LONGEST, type Options, withinOf } from './options.ts';
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

const runtime: Runtime = {
  ...standard,
  after(ms, run) {
    const timer = node.setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer as never);
  },
  /** An interval keeps the process alive. */
  hold() {
    const timer = setInterval(() => {}, LONGEST);
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

  /**
   * Like `close` of every client. With `within` (milliseconds, default Infinity), messages not delivered by then are
   * reported as `closed`.
   *
   * @throws MillraceError `invalid_option`; the client then stays open.
   */
  override close({ within }: { readonly within?: number } = {}): Promise<Counts> {
    const ms = withinOf(within);
    const closing = super.close();
    if (ms === Number.POSITIVE_INFINITY) return closing;
    return closing.finally(runtime.after(Math.min(ms, LONGEST), this.#expire));
  }
}
