import type { CallType } from '../calls.ts';
import { messageOf } from '../message.ts';
import { DEFAULTS, type Logger, type Settings } from '../options.ts';
import { PageOutbox } from '../page-outbox.ts';
import { pageRuntime } from '../page-runtime.ts';

/** Queues a call. Throws what a call of the client throws. */
export type Send = (type: CallType, call: object) => void;

export interface SenderOptions extends Pick<Settings, 'writeKey' | 'context' | 'integrations' | 'warn'> {
  readonly endpoint: string;
  readonly logger: Logger;
}

/** Milliseconds: the calls of a moment share a request, and are still seen at once. */
const FLUSH_AFTER = 250;

/** The client as a page has it, without the checks of options and the methods that a script tag has no use for. */
export function openSender({ endpoint, logger, ...options }: SenderOptions): Send {
  const settings: Settings = {
    ...DEFAULTS,
    ...options,
    url: `${endpoint}/v1/batch`,
    flushAfter: FLUSH_AFTER,
    onDelivered: undefined,
    onError: undefined,
    fetch: (url, init) => fetch(url, init),
    debug: pageRuntime.debug?.() ? (line) => logger.debug(`millrace: ${line}`) : null,
  };
  const outbox = new PageOutbox(settings, pageRuntime);
  return (type, call) => outbox.add(messageOf(type, call, settings, pageRuntime));
}
