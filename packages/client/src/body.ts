import type { Entry } from './queue.ts';

const context = { library: { name: '@millrace/client', version: '0.1.0' } };

const UUID_LENGTH = 36;
const ISO_LENGTH = 24;

/** Most calls in one request; the service refuses more. */
export const BATCH_CALLS = 2_500;

/** The JSON of a batch. `sentAt` is ISO 8601 with milliseconds. */
export function bodyOf(entries: readonly Entry[], messageId: string, sentAt: string): string {
  const rest = JSON.stringify({ context, messageId, sentAt });
  return `{"batch":[${entries.map(({ text }) => text)}],${rest.slice(1)}`;
}

/** Bytes of a body without its messages and the commas between them. */
export const ENVELOPE_BYTES: number = /* @__PURE__ */ bodyOf([], '', '').length + UUID_LENGTH + ISO_LENGTH;
