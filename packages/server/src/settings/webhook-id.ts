import { hash } from 'node:crypto';
import type { Attempt } from '../core/delivery.ts';

/**
 * The id of a destination's URL, of an id or of the URL's text. Earlier versions had no ids and stored the text wherever there
 * is an id now: in settings, attempts, the retry queue and the statistics. The id made of it is the same wherever that is read, and
 * is kept with the settings when they are changed next.
 */
export function webhookIdOf(stored: string): string {
  return stored.includes(':') ? `url_${hash('sha256', stored).slice(0, 16)}` : stored;
}

/** The id of the URL that an attempt was made at. */
export function webhookIdAt({ webhookId, url }: Pick<Attempt, 'webhookId' | 'url'>): string {
  return webhookIdOf(webhookId ?? url);
}
