import type { Destination, Webhook } from '../core/destination.ts';
import { isPaused, standsStill } from '../core/hold.ts';
import { isParked, REFUSED } from '../core/urls-left.ts';
import { causeOf } from '../deliver/causes.ts';
import type { Delivery } from '../record/contract.ts';
import { webhookIdAt, webhookIdOf } from '../settings/webhook-id.ts';
import type { TracedLane, UrlFate } from './contract.ts';

/** The result of a message at each URL, if the destination needs all of them; empty if one is enough. */
export function urlFates(destination: Destination | null, delivery: Delivery | null): UrlFate[] {
  if (destination?.success !== 'all') return [];
  return destination.webhooks.map((webhook) => {
    const { id: webhookId, url } = webhook;
    return { webhookId, url, fate: fateAt(webhook, destination, delivery) };
  });
}

/**
 * Why a message is held: until its destination, or all URLs it waits for, are resumed (`resume`); or until sending to this
 * machine is allowed (`permission`). Null if it is being tried or is done.
 *
 * @param isAllowed whether the destination may send to its addresses.
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
    // Without `urlsLeft`, or before the first round of a new window, the message goes to all URLs.
    if (urlsLeft === null || isParked({ urlsLeft }) || urlsLeft.map(webhookIdOf).includes(webhook.id)) return waits;
    if (urlsLeft.includes(REFUSED + webhook.id)) return 'refused';
  }
  const last = delivery.attempts.findLast((attempt) => webhookIdAt(attempt) === webhook.id);
  if (!last) return 'none';
  const { class: outcome } = causeOf(String(last.status ?? last.error), destination.policy);
  return ({ success: 'took', temporary: 'missed', permanent: 'refused' } as const)[outcome];
}
