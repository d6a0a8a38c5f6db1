import { DEFAULTS, type Logger, type Settings } from '../options.ts';
import { PageOutbox } from '../page-outbox.ts';
import { pageRuntime } from '../page-runtime.ts';

/** Queues a call (`add`). Throws what the client's call methods throw. */
export type Sender = Pick<PageOutbox, 'add'>;

type SenderOptions = Pick<Settings, 'url' | 'writeKey' | 'context' | 'integrations' | 'warn'>;

export const logger: Logger = console;

/** Milliseconds. Calls that are made together share a request, and still arrive quickly. */
const FLUSH_AFTER = 250;

/** The client in a page, without the option checks and the methods that a script tag does not need. */
export function openSender(options: SenderOptions): Sender {
  const settings: Settings = {
    ...DEFAULTS,
    ...options,
    flushAfter: FLUSH_AFTER,
    debug: pageRuntime.debug?.() ? (line) => logger.debug(`millrace: ${line}`) : null,
  };
  return new PageOutbox(settings, pageRuntime);
}
