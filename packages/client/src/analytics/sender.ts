import type { CallType } from '../calls.ts';
import { messageOf } from '../message.ts';
import { type Settings, settled } from '../options.ts';
import { PageOutbox } from '../page-outbox.ts';
import { pageRuntime } from '../page-runtime.ts';

/** Queues a call. Throws what a call of the client throws. */
export type Send = (type: CallType, call: object) => void;

export interface SenderOptions extends Pick<Settings, 'writeKey' | 'context' | 'integrations'> {
  readonly endpoint: string;
}

/** Milliseconds: the calls of a moment share a request, and are still seen at once. */
const FLUSH_AFTER = 250;

/** The client as a page has it, without the checks of options and the methods that a script tag has no use for. */
export function openSender(options: SenderOptions): Send {
  const settings = settled({ flushAfter: FLUSH_AFTER, ...options }, pageRuntime.debug?.() ?? false);
  const outbox = new PageOutbox(settings, pageRuntime);
  return (type, call) => outbox.add(messageOf(type, call, settings, pageRuntime));
}
