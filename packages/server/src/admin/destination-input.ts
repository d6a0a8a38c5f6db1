import { isDeepStrictEqual } from 'node:util';
import type { Destination, TrackFilter, Webhook } from '../core/destination.ts';
import { DEFAULT_OPTIONS, signingOf, WEBHOOKS } from '../core/destination.ts';
import { nameFlaw } from '../core/event-name.ts';
import { isPaused, losesPaused, resumed } from '../core/hold.ts';
import { checkHeaders } from '../deliver/headers.ts';
import { webhookIdOf } from '../settings/webhook-id.ts';
import type { DestinationChange, FieldError, NewDestination, NewWebhook } from './contract.ts';
import type { AdminDeps } from './deps.ts';
import { newId } from './ids.ts';
import { ForbiddenAddress, invalidInput } from './input.ts';
import { changedOptions, optionErrors } from './options-input.ts';
import { changedSigning, signingErrors } from './signing-input.ts';
import { idErrors, identified, parsedUrl } from './webhook-input.ts';

/** What the checks of a destination need: they check what a schema can't, such as URLs, headers, sources, secrets and filters. */
export type DestinationChecks = Pick<AdminDeps, 'checkUrl' | 'retention'> & {
  readonly settings: Pick<AdminDeps['settings'], 'source'>;
};

/** @throws InvalidInput naming every field that can't be saved. */
export async function checkDestination(
  input: NewDestination | DestinationChange,
  checks: DestinationChecks,
): Promise<void> {
  const { webhooks = [], ...signing } = input.settings ?? {};
  const found = await Promise.all(webhooks.map((webhook, i) => webhookErrors(webhook, i, checks)));
  const wrong: Wrong[] = [
    ...found.flat(),
    ...repeatedUrls(webhooks),
    ...signingErrors(signing),
    ...filterErrors(input.trackFilter ?? null),
    ...optionErrors(input, checks.retention),
    ...sourceErrors(input.sourceIds ?? [], checks),
  ];
  if (wrong.length === 0) return;
  const errors = wrong.map(({ path, message }) => ({ path, message }));
  throw wrong.every(({ isForbidden }) => isForbidden) ? new ForbiddenAddress(errors) : invalidInput(errors);
}

/** Checks that the sources exist. Called again just before saving: a source may be deleted while host names are looked up. */
export function checkSources(input: NewDestination | DestinationChange, checks: DestinationChecks): void {
  const errors = sourceErrors(input.sourceIds ?? [], checks);
  if (errors.length > 0) throw invalidInput(errors);
}

const UNSIGNED = { sharedSecret: null };

/** @throws InvalidInput for a URL with an id: a new destination has no ids yet. */
export function newDestination(input: NewDestination, id: string, createdAt: string): Destination {
  return {
    id,
    name: input.name,
    type: WEBHOOKS,
    sourceIds: input.sourceIds ?? [],
    enabled: input.enabled ?? true,
    webhooks: webhooksOf(input.settings.webhooks, []),
    ...changedSigning(UNSIGNED, input.settings, Date.parse(createdAt)),
    ...changedOptions(DEFAULT_OPTIONS, input),
    createdAt,
    updatedAt: createdAt,
  };
}

/**
 * The destination after a change. Absent fields stay. Null removes a secret, and sets an option to its default.
 *
 * @throws InvalidInput for the id of a URL that the destination does not have.
 */
export function changedDestination(old: Destination, change: DestinationChange, updatedAt: string): Destination {
  const { settings } = change;
  const { id, type, createdAt, updatedAt: before, revision, hold } = old;
  const changed: Destination = {
    ...{ id, type, createdAt, updatedAt: before },
    ...(revision !== undefined && { revision }),
    ...(hold && { hold }),
    ...changedSigning(signingOf(old), settings ?? {}, Date.parse(updatedAt)),
    name: change.name ?? old.name,
    sourceIds: change.sourceIds ?? old.sourceIds,
    enabled: change.enabled ?? old.enabled,
    webhooks: settings?.webhooks ? webhooksOf(settings.webhooks, old.webhooks) : old.webhooks,
    ...changedOptions(old, change),
  };
  if (isDeepStrictEqual(changed, old)) return old;
  // What waited for a paused URL that is removed is due, as at the end of a pause of the whole destination: here one of no length.
  const isDue = losesPaused(old, changed) && !isPaused(old);
  const ended = isDue && resumed({ past: [], ...hold, since: updatedAt }, updatedAt, undefined);
  return { ...changed, updatedAt, ...(ended && { hold: ended }) };
}

function webhooksOf(asked: readonly NewWebhook[], now: readonly Webhook[]): Webhook[] {
  const errors = idErrors(asked, now);
  if (errors.length > 0) {
    throw invalidInput(errors.map(({ path, message }) => ({ path: `settings.webhooks.${path}`, message })));
  }
  const wanted = identified(asked, now);
  const taken = new Set([...now, ...wanted].map(({ id }) => id));
  return wanted.map((webhook) => {
    // Derived from the URL: nodes of a version without ids use the same id, and a URL that is added again gets its id back.
    const own = webhookIdOf(webhook.url);
    const hold = now.find(({ id }) => id === webhook.id)?.hold;
    return { id: taken.has(own) ? newId('url') : own, ...webhook, ...(hold && { hold }) };
  });
}

interface Wrong extends FieldError {
  /** Whether the URL leads to an address that requests may not go to. */
  readonly isForbidden?: boolean;
}

async function webhookErrors(webhook: NewWebhook, place: number, checks: DestinationChecks): Promise<Wrong[]> {
  const at = `settings.webhooks.${place}`;
  const refusal = await checks.checkUrl(webhook.url);
  const isForbidden = refusal?.code === 'address_not_allowed';
  const url = refusal ? [{ path: `${at}.url`, message: refusal.message, isForbidden }] : [];
  const headers = checkHeaders(webhook.headers ?? {}).map(({ path, message }) => {
    return { path: path === '' ? `${at}.headers` : `${at}.headers.${path}`, message };
  });
  return [...url, ...headers];
}

function repeatedUrls(webhooks: readonly NewWebhook[]): FieldError[] {
  const places = new Map<string, number>();
  return webhooks.flatMap(({ url }, place) => {
    const called = parsedUrl(url);
    const before = places.get(called);
    if (before === undefined) {
      places.set(called, place);
      return [];
    }
    const message = `is the same URL as webhooks.${before}.url: a destination calls each URL once`;
    return [{ path: `settings.webhooks.${place}.url`, message }];
  });
}

function filterErrors(filter: TrackFilter | null): FieldError[] {
  const { mode, events } = filter ?? { mode: 'deny', events: [] };
  if (mode === 'allow' && events.length === 0) {
    const message = 'must name an event: with none, no track call would be delivered';
    return [{ path: 'trackFilter.events', message }];
  }
  return events.flatMap((name, place) => {
    const message = nameFlaw(name);
    return message === null ? [] : [{ path: `trackFilter.events.${place}`, message }];
  });
}

function sourceErrors(ids: readonly string[], { settings }: DestinationChecks): FieldError[] {
  return ids.flatMap((id, place) => {
    const isThere = settings.source(id) !== undefined;
    if (isThere && ids.indexOf(id) === place) return [];
    const message = isThere ? 'names a source that is named before' : `names no source: ${id}`;
    return [{ path: `sourceIds.${place}`, message }];
  });
}
