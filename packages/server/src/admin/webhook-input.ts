import type { Target } from '../core/destination.ts';
import { readUrl } from '../deliver/address.ts';
import type { FieldError, NewWebhook } from './contract.ts';

/** The URLs of a destination as they are asked for, and which of those that it has each of them is. */

/** As it is called, and not as it was typed: of two ways to write one, the guard and a reader see the same. As typed where it is refused. */
export function parsedUrl(url: string): string {
  const parsed = readUrl(url);
  return 'code' in parsed ? url : parsed.href;
}

/** Each with its id: the one that is asked for, else that of the one that has this URL; without where it is a new one. */
export function identified(asked: readonly NewWebhook[], now: readonly Target[]): Target[] {
  const taken = new Set(asked.map(({ id }) => id));
  return asked.map(({ id, url, headers = {} }) => {
    const called = parsedUrl(url);
    const known = id ?? now.find((webhook) => webhook.url === called && !taken.has(webhook.id))?.id;
    taken.add(known);
    return { ...(known !== undefined && { id: known }), url: called, headers };
  });
}

/** Ids of no URL that is there, and ids that are asked for twice; by paths below that of the list. */
export function idErrors(asked: readonly NewWebhook[], now: readonly Target[]): FieldError[] {
  return asked.flatMap(({ id }, place) => {
    if (id === undefined) return [];
    const isKnown = now.some((webhook) => webhook.id === id);
    const before = asked.findIndex((webhook) => webhook.id === id);
    if (isKnown && before === place) return [];
    const message = isKnown
      ? `is the id of webhooks.${before} too: each URL has its own`
      : 'is the id of no URL that this destination has: leave it out for a new URL';
    return [{ path: `${place}.id`, message }];
  });
}
