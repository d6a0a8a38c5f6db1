import type { AnyEvents, EventMap } from './calls.ts';
import { Millrace as Client } from './client.ts';
import type { Options } from './options.ts';
import { Outbox } from './outbox.ts';
import { PageOutbox } from './page-outbox.ts';
import { pageRuntime } from './page-runtime.ts';

export type * from './calls.ts';
export type { MillraceError } from './error.ts';
export type { Fetch, Logger, Options } from './options.ts';

/** The client in a browser: queued messages survive the end of the page and a time without network. */
export class Millrace<Events extends EventMap<Events> = AnyEvents> extends Client<Events> {
  constructor(writeKey: string, options: Options = {}) {
    // A web worker has no page.
    const Sender = 'document' in globalThis ? PageOutbox : Outbox;
    super(writeKey, options, pageRuntime, (settings) => new Sender(settings, pageRuntime));
  }
}
