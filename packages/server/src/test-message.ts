import type { TestSent, TestTarget } from './admin/deps.ts';
import { readEvents } from './collect/events.ts';
import type { Clock } from './core/clock.ts';
import { attemptOf } from './core/delivery.ts';
import { signingOf } from './core/destination.ts';
import type { Event } from './core/event.ts';
import { Fault } from './core/fault.ts';
import { NO_POLICY, sendLimits, taken } from './deliver/policy.ts';
import { outgoing } from './deliver/redaction.ts';
import { requestHeaders } from './deliver/request.ts';
import { type OpenSender, type SourceTypeOf, sendOnce } from './deliver/sender.ts';

/** Sends one real message to each URL (contract 12), with the same request that a delivery makes. It is not stored and not retried. */
export function createTestMessage(
  clock: Clock,
  openSender: OpenSender,
  sourceTypeOf: SourceTypeOf,
): (to: TestTarget, event: Event) => Promise<TestSent> {
  return async (to, call) => {
    const event = outgoing(call, to);
    const urls = to.webhooks.map(async (webhook) => {
      const options = { webhook, ...signingOf(to), ...sendLimits(to.policy ?? NO_POLICY) };
      const headers = requestHeaders(options, event, sourceTypeOf);
      const at = clock.now();
      const answer = await sendOnce(openSender, options, event);
      const outcome = taken(answer, to.policy ?? NO_POLICY, clock.now());
      return { class: outcome.class, headers, attempt: attemptOf(webhook, at, clock.now() - at, outcome) };
    });
    return {
      messageId: event.messageId,
      body: Buffer.from(event.body).toString('utf8'),
      urls: await Promise.all(urls),
    };
  };
}

/** Reads a call as the collection API does, for a test source. @throws Fault of the collection API if the call is invalid. */
export function readTestCall(clock: Clock, call: Readonly<Record<string, unknown>>): Event {
  const facts = {
    source: TEST_SOURCE,
    receivedAt: clock.now(),
    ip: '',
    suppressed: new Set<string>(),
    isHistory: false,
  };
  const { events, rejected } = readEvents({ batch: [{ type: 'track', ...call }] }, 'batch', facts);
  for (const { code, message } of rejected) throw new Fault(code, message);
  return events[0] as Event;
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
