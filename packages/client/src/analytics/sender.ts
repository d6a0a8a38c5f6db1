import { DEFAULTS, type Logger, type Settings } from '../options.ts';
import { PageOutbox } from '../page-outbox.ts';
import { pageRuntime } from '../page-runtime.ts';

/** Queues a call (`add`), and throws what a call of the client throws. */
export type Sender = Pick<PageOutbox, 'add'>;

export interface SenderOptions extends Pick<Settings, 'writeKey' | 'context' | 'integrations' | 'warn'> {
  readonly endpoint: string;
  readonly logger: Logger;
}

/** Milliseconds: the calls of a moment share a request, and are still seen at once. */
const FLUSH_AFTER = 250;

/** The client as a page has it, without the checks of options and the methods that a script tag has no use for. */
export function openSender({ endpoint, logger, ...options }: SenderOptions): Sender {
  const settings: Settings = {
    ...DEFAULTS,
    ...options,
    url: `${endpoint}/v1/batch`,
    flushAfter: FLUSH_AFTER,
    debug: pageRuntime.debug?.() ? (line) => logger.debug(`millrace: ${line}`) : null,
  };
  return new PageOutbox(settings, pageRuntime);
}
