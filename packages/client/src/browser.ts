import type { AnyEvents, EventMap } from './calls.ts';
import { Millrace as Client } from './client.ts';
import type { Options } from './options.ts';
import { Outbox } from './outbox.ts';
import { PageOutbox } from './page-outbox.ts';
import { type Runtime, standard } from './runtime.ts';
import { uuid } from './uuid.ts';

export type * from './calls.ts';
export type { MillraceError } from './error.ts';
export type { Fetch, Logger, Options } from './options.ts';

const runtime: Runtime = {
  ...standard,
  uuid,
  debug: wantsDebug,
  // So that a batch is always small enough to outlive its page.
  batchBytes: 60_000,
};

/** `localStorage.debug = 'analytics'`. A browser may forbid the look itself. */
function wantsDebug(): boolean {
  try {
    return /(^|[\s,])(analytics|\*)($|[\s,])/.test(localStorage.getItem('debug') ?? '');
  } catch {
    return false;
  }
}

/** The client in a browser: what is queued survives the page, and a time without network. */
export class Millrace<Events extends EventMap<Events> = AnyEvents> extends Client<Events> {
  constructor(writeKey: string, options: Options = {}) {
    // A web worker has no page.
    const Sender = 'document' in globalThis ? PageOutbox : Outbox;
    super(writeKey, options, runtime, (settings) => new Sender(settings, runtime));
  }
}
