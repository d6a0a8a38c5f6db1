import type { Destination } from '../core/destination.ts';
import { iso } from '../core/instant.ts';
import { addTallies, failureOf, lastFailure, partsOf, type Tallies, type Tally } from '../core/tally.ts';
import { causeOf } from '../deliver/causes.ts';
import type { Delivery, DeliveryStore } from '../record/contract.ts';
import { webhookIdAt, webhookIdOf } from '../settings/webhook-id.ts';
import type { DeliveryError, FailedGroup, FailedGroups, FailureSample, Role, UrlAttempts } from './contract.ts';

/** The failures at a destination, by cause. Everything here reads a limited number of the newest messages. */

type Lists = Pick<DeliveryStore, 'list'>;

/** Newest messages of each state that are read for samples. */
const SAMPLED = 30;

/** The most failed messages that are grouped, and the number read at a time. */
const GROUPED = 2000;
const PAGE = 500;

/** Attempts by result and URL id, including those that an earlier version counted by the URL's text. */
export function byUrl(attempts: Tallies): Tallies {
  const tallies = new Map<string, Tally>();
  for (const [key, tally] of attempts) {
    const [end, stored] = partsOf(key);
    addTallies(tallies, [[`${end} ${webhookIdOf(stored)}`, tally]]);
  }
  return tallies;
}

/** Attempts by URL, for each current URL of the destination that had any. */
export function urlsOf({ webhooks }: Destination, attempts: Tallies): UrlAttempts[] {
  const urls = webhooks.map(({ id, url }): UrlAttempts => {
    return { id, url, attempts: 0, failed: 0, lastSuccessAt: null, lastFailureAt: null };
  });
  for (const [key, [count, , lastAt]] of attempts) {
    const [end, id] = partsOf(key);
    const of = urls.find((each) => each.id === id);
    if (!of) continue;
    of.attempts += count;
    if (end !== 'ok') of.failed += count;
    const last = end === 'ok' ? 'lastSuccessAt' : 'lastFailureAt';
    if (of[last] === null || of[last] < iso(lastAt)) of[last] = iso(lastAt);
  }
  return urls.filter((url) => url.attempts > 0);
}

/** Failed attempts by URL and kind, most frequent first, each with the newest message it happened to. */
export async function errorsOf(
  deliveries: Lists,
  { id, webhooks, policy }: Destination,
  attempts: Tallies,
  role: Role,
): Promise<DeliveryError[]> {
  const failed = [...attempts].filter(([key]) => !key.startsWith('ok '));
  if (failed.length === 0) return [];
  const samples = role === 'observer' ? null : await samplesOf(deliveries, id);
  return failed
    .toSorted(([, a], [, b]) => b[0] - a[0])
    .map(([key, [count, firstAt, lastAt]]) => {
      const [kind, webhookId] = partsOf(key);
      const url = webhooks.find((webhook) => webhook.id === webhookId)?.url ?? '';
      const times = { firstAt: iso(firstAt), lastAt: iso(lastAt) };
      return { ...causeOf(kind, policy), webhookId, url, kind, count, ...times, sample: samples?.get(key) ?? null };
    });
}

/** The newest failed messages, grouped by failure and by event; most frequent first. */
export async function failedGroups(deliveries: Lists, { id, policy }: Destination): Promise<FailedGroups> {
  const groups = new Map<string, FailedGroup>();
  let cursor: string | null = null;
  let looked = 0;
  do {
    const page = await deliveries.list(queryOf(id, 'failed', PAGE, cursor));
    for (const delivery of page.items) addTo(groups, delivery, policy);
    looked += page.items.length;
    cursor = page.next;
  } while (cursor !== null && looked < GROUPED);
  return { groups: [...groups.values()].toSorted((a, b) => b.count - a.count), looked, more: cursor !== null };
}

function addTo(groups: Map<string, FailedGroup>, delivery: Delivery, policy: Destination['policy']): void {
  const { attempts, reason, type, event, at } = delivery;
  const last = lastFailure(attempts);
  const error = failureOf(last, reason) ?? 'unknown';
  const key = `${error} ${type} ${event ?? ''}`;
  const known = groups.get(key);
  if (!known) {
    const sample = sampleOf(delivery, last ?? null);
    groups.set(key, { ...causeOf(error, policy), error, type, event, count: 1, lastAt: iso(at), sample });
    return;
  }
  known.count++;
  if (known.lastAt < iso(at)) known.lastAt = iso(at);
}

/** The latest attempt by URL and kind, among the newest undelivered messages. */
async function samplesOf(deliveries: Lists, destinationId: string): Promise<Map<string, FailureSample>> {
  const pages = await Promise.all(
    (['failed', 'retrying'] as const).map((state) => deliveries.list(queryOf(destinationId, state, SAMPLED, null))),
  );
  const samples = new Map<string, FailureSample>();
  for (const delivery of pages.flatMap(({ items }) => items)) {
    for (const attempt of delivery.attempts) {
      const key = `${attempt.status ?? attempt.error} ${webhookIdAt(attempt)}`;
      const known = samples.get(key);
      if (!known || known.at < iso(attempt.at)) samples.set(key, sampleOf(delivery, attempt));
    }
  }
  return samples;
}

function sampleOf(delivery: Delivery, attempt: Delivery['attempts'][number] | null): FailureSample {
  const { position, messageId, sourceId, userId, event } = delivery;
  const { url = null, detail = null, answer = null } = attempt ?? {};
  return { position, messageId, sourceId, userId, event, at: iso(attempt?.at ?? delivery.at), url, detail, answer };
}

function queryOf(
  destinationId: string,
  state: 'failed' | 'retrying',
  limit: number,
  cursor: string | null,
): Parameters<DeliveryStore['list']>[0] {
  return { destinationId, state, event: null, userId: null, from: null, to: null, cursor, limit };
}
