import type { AnyEvents, Counts, EventMap } from './calls.ts';
import { Millrace as Client } from './client.ts';
import { errorOf } from './error.ts';
import type { Options } from './options.ts';
import { Outbox } from './outbox.ts';
import { type Runtime, standard } from './runtime.ts';

export type * from './calls.ts';
export type { MillraceError } from './error.ts';
export type { Fetch, Logger, Options } from './options.ts';

/** As much of Node as it takes. */
interface NodeGlobals {
  readonly process: { readonly env: Readonly<Record<string, string | undefined>> };
  setTimeout(run: () => void, ms: number): { unref(): void };
}

const node = globalThis as unknown as NodeGlobals;

/** A timer counts to 2^31 ms; that is what holds a process up for as long as anybody waits. */
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

/** An outbox that can be told that its time is up. */
class NodeOutbox extends Outbox {
  /** Nothing more is sent: what is left is reported as `closed`. */
  expire(): void {
    const left = [...this.flights].flatMap((flight) => this.abandon(flight));
    this.fail([...left, ...this.queue.take()], errorOf('closed', 'The client was closed before it could be sent.'));
  }
}

/**
 * The client in Node: waiting messages keep no process alive (unless a flush waits for them), and `DEBUG=analytics` shows
 * what it does.
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

  /** As everywhere. With `within` (milliseconds), what is not delivered by then is reported as `closed`. */
  override close({ within }: { readonly within?: number } = {}): Promise<Counts> {
    const closing = super.close();
    if (within === undefined) return closing;
    return closing.finally(runtime.after(within, this.#expire));
  }
}
