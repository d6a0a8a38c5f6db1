import type { TestSent, TestTarget } from './admin/deps.ts';
import { createCollector } from './collect/collector.ts';
import type { Clock } from './core/clock.ts';
import { attemptOf, type Outcome } from './core/delivery.ts';
import type { Webhook } from './core/destination.ts';
import type { Event } from './core/event.ts';
import { Fault } from './core/fault.ts';
import { requestHeaders } from './deliver/request.ts';
import type { OpenSender, Outgoing, SourceTypeOf } from './deliver/sender.ts';

/**
 * Sends one real message to every URL it is given (decisions 12): the request is the one a delivery makes. It is neither
 * stored nor retried.
 */
export function createTestMessage(
  clock: Clock,
  openSender: OpenSender,
  sourceTypeOf: SourceTypeOf,
): (to: TestTarget, event: Event) => Promise<TestSent> {
  return async (to, event) => {
    const urls = to.webhooks.map(async (webhook) => {
      const options = { webhook, sharedSecret: to.sharedSecret };
      const headers = requestHeaders(options, event, sourceTypeOf);
      const at = clock.now();
      const outcome = await sendOnce(openSender, options, event);
      return { class: outcome.class, headers, attempt: attemptOf(webhook.url, at, clock.now() - at, outcome) };
    });
    return {
      messageId: event.messageId,
      body: Buffer.from(event.body).toString('utf8'),
      urls: await Promise.all(urls),
    };
  };
}

/** Reads a call as the collection API reads it, under no source. @throws Fault of the collection API when it is not valid. */
export async function readTestCall(clock: Clock, call: Readonly<Record<string, unknown>>): Promise<Event> {
  let read: Event | undefined;
  const collect = createCollector({
    async append([event]) {
      read = event;
      return { duplicates: [] };
    },
    suppressed: new Set(),
    sourceByWriteKey: () => TEST_SOURCE,
    clock,
    rejections: { add: () => undefined, unknownKey: () => undefined },
    meter: { accepted: () => undefined, duplicates: () => undefined, rejected: () => undefined },
  });
  await collect({
    kind: String(call['type'] ?? 'track'),
    body: Buffer.from(JSON.stringify(call)),
    encoding: undefined,
    writeKey: TEST_SOURCE.writeKey,
    ip: '',
  });
  if (!read) throw new Fault('internal', 'The test message was not read.');
  return read;
}

async function sendOnce(
  openSender: OpenSender,
  options: { readonly webhook: Webhook; readonly sharedSecret: string | null },
  message: Outgoing,
): Promise<Outcome> {
  const sender = openSender(options);
  try {
    return await new Promise((resolve) => sender.send(message, resolve));
  } finally {
    await sender.close();
  }
}

const TEST_SOURCE = {
  id: 'test',
  name: 'Test message',
  type: 'server',
  writeKey: 'test',
  enabled: true,
  createdAt: '1970-01-01T00:00:00.000Z',
  oldKey: null,
} as const;
