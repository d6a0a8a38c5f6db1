import { hash } from 'node:crypto';
import type { Attempt } from '../core/delivery.ts';

/**
 * The id of a destination's URL, from an id or from the URL's text. Earlier versions had no ids: they stored the text in
 * settings, attempts, the retry queue and the statistics. The id is derived from the text, so it is the same everywhere. The next
 * change of the settings stores it.
 */
export function webhookIdOf(stored: string): string {
  return stored.includes(':') ? `url_${hash('sha256', stored).slice(0, 16)}` : stored;
}

/** The id of the URL that an attempt was sent to. */
export function webhookIdAt({ webhookId, url }: Pick<Attempt, 'webhookId' | 'url'>): string {
  return webhookIdOf(webhookId ?? url);
}
