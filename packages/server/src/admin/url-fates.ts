import type { Destination, Webhook } from '../core/destination.ts';
import { isPaused, standsStill } from '../core/hold.ts';
import { isParked, REFUSED } from '../core/urls-left.ts';
import { causeOf } from '../deliver/causes.ts';
import type { Delivery } from '../record/contract.ts';
import { webhookIdAt, webhookIdOf } from '../settings/webhook-id.ts';
import type { TracedLane, UrlFate } from './contract.ts';

/** What each URL of a destination that asks for all of them made of a message; none where one is enough. */
export function urlFates(destination: Destination | null, delivery: Delivery | null): UrlFate[] {
  if (destination?.success !== 'all') return [];
  return destination.webhooks.map((webhook) => {
    const { id: webhookId, url } = webhook;
    return { webhookId, url, fate: fateAt(webhook, destination, delivery) };
  });
}

/**
 * What a message waits for: `resume` of its destination, or of all URLs that it waits for; or `permission` to send to this
 * machine. Null where it is tried, or its end is known.
 *
 * @param isAllowed Whether its destination may send where it sends.
 */
export function holdOf(
  destination: Destination | null,
  delivery: Delivery | null,
  isAllowed: boolean,
): TracedLane['heldFor'] {
  const isOver = delivery !== null && delivery.state !== 'retrying';
  if (!destination?.enabled || isOver) return null;
  const fates = destination.webhooks.map((webhook) => fateAt(webhook, destination, delivery));
  if (standsStill(destination) || (fates.includes('paused') && !fates.includes('waits'))) return 'resume';
  return isAllowed ? null : 'permission';
}

function fateAt(webhook: Webhook, destination: Destination, delivery: Delivery | null): UrlFate['fate'] {
  const waits = isPaused(destination) || isPaused(webhook) ? 'paused' : 'waits';
  if (delivery === null) return waits;
  const { state, urlsLeft } = delivery;
  if (state === 'retrying') {
    // Before the first round of a window it goes to all.
    if (urlsLeft === null || isParked({ urlsLeft }) || urlsLeft.map(webhookIdOf).includes(webhook.id)) return waits;
    if (urlsLeft.includes(REFUSED + webhook.id)) return 'refused';
  }
  const last = delivery.attempts.findLast((attempt) => webhookIdAt(attempt) === webhook.id);
  if (!last) return 'none';
  const { class: outcome } = causeOf(String(last.status ?? last.error), destination.policy);
  return ({ success: 'took', temporary: 'missed', permanent: 'refused' } as const)[outcome];
}
