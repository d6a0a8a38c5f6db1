import { randomId } from '@mantine/hooks';
import type { NewWebhook, Webhook } from '../../../server/src/admin/contract.ts';

/** Greatest number of URLs of a destination. */
export const MAX_WEBHOOKS = 5;

/** A webhook while it is edited; `key` tells rows apart when they are added and removed. */
export interface WebhookDraft {
  readonly key: string;
  /** Of one that is saved: edited, it stays the same one. */
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

/** As the API takes them, over those that are there. A header row without a name and a value is none. */
export function webhooksOf(drafts: readonly WebhookDraft[], now: readonly Webhook[] = []): NewWebhook[] {
  return drafts.map(({ key: _, id, ...draft }) => {
    return { ...(now.some((webhook) => webhook.id === id) && { id }), ...targetOf(draft) };
  });
}

/** As a check takes it. */
export function targetOf({ url, headers }: Pick<WebhookDraft, 'url' | 'headers'>): Omit<NewWebhook, 'id'> {
  const given = headers.filter(({ name, value }) => name.trim() !== '' || value !== '');
  // Two of one name are one with both values, as HTTP reads them.
  const byName = Map.groupBy(given, ({ name }) => name.trim());
  const values = Array.from(byName, ([name, rows]) => [name, rows.map(({ value }) => value).join(', ')] as const);
  return { url: url.trim(), headers: Object.fromEntries(values) };
}

/** A doubt about a URL that can be saved: it leads back to where calls come from. Null where there is none. */
export function doubtAbout(url: string): string | null {
  const isCollection = COLLECTION.test(URL.parse(url.trim())?.pathname ?? '');
  return isCollection
    ? 'This looks like the address of a collection API, to which programs send calls. Give the URL that takes the messages.'
    : null;
}

const COLLECTION = /^\/v1\/(identify|track|page|screen|group|alias|batch|import|[itpsgab])\/*$/;

/** Where the API's paths of headers, which end in the header's name, stand in the form. For `applyProblem`. */
export function placesOf(drafts: readonly WebhookDraft[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    drafts.flatMap(({ headers }, i) => {
      const place = `settings.webhooks.${i}.headers`;
      return headers.map(({ name }, j) => [`${place}.${name.trim()}`, `${place}.${j}.name`]);
    }),
  );
}
