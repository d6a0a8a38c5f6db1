import { randomId } from '@mantine/hooks';
import type { NewWebhook, Webhook } from '../../../server/src/admin/contract.ts';

/** Most URLs of a destination. */
export const MAX_WEBHOOKS = 5;

/** A webhook while it is edited. `key` identifies its row while rows are added and removed. */
export interface WebhookDraft {
  readonly key: string;
  /** Id of a saved webhook. It stays the same when the webhook is edited. */
  readonly id?: string;
  readonly url: string;
  readonly headers: readonly HeaderDraft[];
}

export interface HeaderDraft {
  readonly key: string;
  readonly name: string;
  readonly value: string;
}

export function newDraft(): WebhookDraft {
  return { key: randomId(), url: '', headers: [] };
}

export function newHeaderDraft(): HeaderDraft {
  return { key: randomId(), name: '', value: '' };
}

export function draftsOf(webhooks: readonly Webhook[]): WebhookDraft[] {
  return webhooks.map(({ id, url, headers }) => ({
    key: randomId(),
    id,
    url,
    headers: Object.entries(headers).map(([name, value]) => ({ key: randomId(), name, value })),
  }));
}

/** The webhooks as the API takes them, merged with the saved ones. A header row without name and value is left out. */
export function webhooksOf(drafts: readonly WebhookDraft[], now: readonly Webhook[] = []): NewWebhook[] {
  return drafts.map(({ key: _, id, ...draft }) => {
    return { ...(now.some((webhook) => webhook.id === id) && { id }), ...targetOf(draft) };
  });
}

/** The webhook as a URL check takes it. */
export function targetOf({ url, headers }: Pick<WebhookDraft, 'url' | 'headers'>): Omit<NewWebhook, 'id'> {
  const given = headers.filter(({ name, value }) => name.trim() !== '' || value !== '');
  // Two headers with one name become one with both values, as HTTP defines.
  const byName = Map.groupBy(given, ({ name }) => name.trim());
  const values = Array.from(byName, ([name, rows]) => [name, rows.map(({ value }) => value).join(', ')] as const);
  return { url: url.trim(), headers: Object.fromEntries(values) };
}

/** A warning about a URL that can be saved: it leads back to the service's own input. Null if there is none. */
export function doubtAbout(url: string): string | null {
  const isCollection = COLLECTION.test(URL.parse(url.trim())?.pathname ?? '');
  return isCollection
    ? 'This looks like the address of a collection API, to which programs send calls. Give the URL that takes the messages.'
    : null;
}

const COLLECTION = /^\/v1\/(identify|track|page|screen|group|alias|batch|import|[itpsgab])\/*$/;
