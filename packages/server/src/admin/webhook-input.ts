import type { Target } from '../core/destination.ts';
import { readUrl } from '../deliver/address.ts';
import type { FieldError, NewWebhook } from './contract.ts';

/** The URLs in a request, matched with the destination's existing ones. */

/** The URL in the form in which it is called, so that the address check and readers see the same. A URL that can't be parsed stays as typed. */
export function parsedUrl(url: string): string {
  const parsed = readUrl(url);
  return 'code' in parsed ? url : parsed.href;
}

/** The URLs with their ids: the given id, else the id of the existing URL with the same text. New URLs get none. */
export function identified(asked: readonly NewWebhook[], now: readonly Target[]): Target[] {
  const taken = new Set(asked.map(({ id }) => id));
  return asked.map(({ id, url, headers = {} }) => {
    const called = parsedUrl(url);
    const known = id ?? now.find((webhook) => webhook.url === called && !taken.has(webhook.id))?.id;
    taken.add(known);
    return { ...(known !== undefined && { id: known }), url: called, headers };
  });
}

/** Errors for ids that no existing URL has, or that are given twice; paths are below that of the list. */
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
