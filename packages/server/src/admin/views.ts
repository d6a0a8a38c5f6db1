import type { Address, AlertSettings } from '../alerts/contract.ts';
import { RULE_CODES, shownRule } from '../alerts/rules.ts';
import type * as delivery from '../core/delivery.ts';
import { departuresOf } from '../core/departure.ts';
import type * as destination from '../core/destination.ts';
import { optionsOf } from '../core/destination.ts';
import { iso, isoOrNull } from '../core/instant.ts';
import { reasonParts } from '../core/reason.ts';
import type { RejectionGroup } from '../core/rejection.ts';
import { revisionOf } from '../core/revision.ts';
import { isTaken, quotaOf, type Source } from '../core/source.ts';
import type { RunnerStatus } from '../deliver/runner-world.ts';
import { ed25519PublicKey } from '../deliver/signature.ts';
import type { Rejection } from '../observe/rejections.ts';
import type * as record from '../record/contract.ts';
import type { FollowedReplay } from '../record/replay.ts';
import { webhookIdAt } from '../settings/webhook-id.ts';
import type * as contract from './contract.ts';
import type { TestedUrl, TestSent } from './deps.ts';

/** Sources, destinations and messages as the admin API shows them: without secrets. */

/** The named fields, unchanged. */
export function picked<T, K extends keyof T>(from: T, ...names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/** Converts times from milliseconds since the epoch to text. Null stays null. */
export function times<K extends string, T extends { readonly [Name in K]: number | null }>(
  from: T,
  ...names: readonly K[]
): { [Name in K]: string | Extract<T[Name], null> } {
  const all = names.map((name) => [name, isoOrNull(from[name])]);
  return Object.fromEntries(all) as { [Name in K]: string | Extract<T[Name], null> };
}

/** Whether a role sees write keys, the values of static headers, and the URLs of alert addresses. Others see them masked. */
export function seesSecrets(role: contract.Role): boolean {
  return role === 'admin';
}

/** A secret as shown to a viewer: enough to tell two apart, too little to use. */
function masked(secret: string): string {
  return `••••${secret.length > 8 ? secret.slice(-4) : ''}`;
}

/** @param now milliseconds since the epoch: a former key is shown only while it is accepted. */
export function sourceView(from: Source, role: contract.Role, now: number): contract.Source {
  const shown = seesSecrets(role) ? (key: string) => key : masked;
  const { writeKey, oldKey, sentBy = null, allowedOrigins = [], quota = null, alerts = {} } = from;
  return {
    ...picked(from, 'id', 'name', 'type', 'enabled', 'createdAt'),
    writeKey: shown(writeKey),
    oldKey: oldKey && isTaken(oldKey, now) ? { writeKey: shown(oldKey.writeKey), until: oldKey.until } : null,
    ...{ allowedOrigins, quota, alerts, sentBy },
    limits: quotaOf(from),
    revision: revisionOf(from),
  };
}

/** Static headers as the caller may see them: their values are often credentials of the receiver. */
export function headersView(
  headers: Readonly<Record<string, string>>,
  role: contract.Role,
): Readonly<Record<string, string>> {
  return seesSecrets(role) ? headers : Object.fromEntries(Object.keys(headers).map((name) => [name, masked('')]));
}

export function rejectionView(from: Rejection): contract.Rejection {
  return { ...picked(from, 'code', 'message', 'part'), ...times(from, 'at') };
}

export function rejectionGroupView(from: RejectionGroup): contract.RejectionGroup {
  return { ...from, ...times(from, 'firstAt', 'lastAt') };
}

/**
 * @param now milliseconds since the epoch: the end of a replaced secret is shown until then.
 * @param held what waits for a paused destination.
 */
export function destinationView(
  from: destination.Destination,
  role: contract.Role,
  now: number,
  held: contract.Paused | null = null,
): contract.Destination {
  return {
    ...picked(from, 'id', 'name', 'type', 'sourceIds', 'enabled', 'createdAt', 'updatedAt'),
    settings: {
      webhooks: from.webhooks.map(({ id, url, headers, hold }) => ({
        ...{ id, url, headers: headersView(headers, role) },
        ...(hold?.since && { paused: { since: hold.since } }),
      })),
      signatures: from.signatures ?? ['segment'],
      sharedSecret: secretView(from.sharedSecret, from.former?.sharedSecret, now),
      standardSecret: {
        ...secretView(from.standardSecret ?? null, from.former?.standardSecret, now),
        ...(from.signatures?.includes('standard-ed25519') &&
          from.standardSecret && { publicKey: ed25519PublicKey(from.standardSecret) }),
      },
    },
    ...optionsOf(from),
    paused: held,
    departures: departuresOf(from.policy ?? {}),
    revision: revisionOf(from),
  };
}

/** @param expires When the oldest is lost, milliseconds since the epoch. */
export function pausedView(
  since: string,
  held: number,
  oldest: number | null,
  expires: number | null,
): contract.Paused {
  return { since, held, oldest: isoOrNull(oldest), expires: isoOrNull(expires) };
}

function secretView(
  secret: string | null,
  former: destination.FormerSecret | undefined,
  now: number,
): contract.SecretView {
  return { set: secret !== null, ...(former && Date.parse(former.until) > now && { previousUntil: former.until }) };
}

export function alertsView(settings: AlertSettings, canMail: boolean, role: contract.Role): contract.AlertSettings {
  const { rules, addresses, endsAfter } = settings;
  return {
    rules: Object.fromEntries(
      RULE_CODES.map((code) => [code, shownRule(code, rules[code])]),
    ) as contract.AlertSettings['rules'],
    addresses: addresses.map((address) => addressView(address, role)),
    ...{ endsAfter, canMail },
    revision: revisionOf(settings),
  };
}

function addressView(address: Address, role: contract.Role): contract.AlertAddress {
  const { id, kind } = address;
  const none = { url: null, to: null, standardSecret: null };
  if (kind === 'email') return { ...none, id, kind, to: address.to };
  if (kind === 'slack') return { ...none, id, kind, url: urlMasked(address.url) };
  const url = seesSecrets(role) ? address.url : urlMasked(address.url);
  return { ...none, id, kind, url, standardSecret: { set: true } };
}

/** A URL without its path: with the path of a Slack channel's URL, or of many webhooks, anyone could write there. */
export function urlMasked(url: string): string {
  return `${URL.parse(url)?.origin ?? ''}/••••`;
}

export function statusView(
  from: RunnerStatus,
  { hold, webhooks }: destination.Destination,
): contract.DestinationStatus {
  const pausedSince = (id: string): string | null => webhooks.find((webhook) => webhook.id === id)?.hold?.since ?? null;
  return {
    ...picked(from, 'held', 'breaker'),
    ...times(from, 'probeAt'),
    pausedSince: hold?.since ?? null,
    urls: from.urls.map(({ certificateEndsAt: _, ...one }) => ({ ...one, pausedSince: pausedSince(one.id) })),
  };
}

export function attemptView(attempt: delivery.Attempt): contract.Attempt {
  return { webhookId: webhookIdAt(attempt), ...triedView(attempt) };
}

function triedView({ webhookId: _, headers, ...attempt }: delivery.Attempt): Omit<contract.Attempt, 'webhookId'> {
  return { ...attempt, at: iso(attempt.at), ...(headers && { responseHeaders: headers }) };
}

export function testView(from: TestSent, verdict: string | null): contract.TestResult {
  const { reason: filtered, clause } = reasonParts(verdict);
  return { ...picked(from, 'messageId', 'body'), filtered, clause, urls: from.urls.map(testedView) };
}

export function testedView({ attempt, class: outcome, headers }: TestedUrl): contract.TestedUrl {
  return { ...triedView(attempt), class: outcome, headers };
}

export function deliveryView(from: record.Delivery, heldFor: contract.Delivery['heldFor']): contract.Delivery {
  return {
    ...summaryView(from),
    ...picked(from, 'destinationId', 'state', 'rounds'),
    ...reasonParts(from.reason),
    attempts: from.attempts.map(attemptView),
    nextAttemptAt: isoOrNull(from.dueAt),
    heldFor,
    updatedAt: iso(from.at),
  };
}

export function replayView(from: FollowedReplay): contract.Replay {
  return {
    ...picked(from, 'id', 'destinationId', 'state', 'messageId', 'chosen', 'perSecond', 'status', 'total', 'done'),
    ...times(from, 'from', 'to', 'createdAt'),
    filter: picked(from.filter, 'event', 'userId', 'error'),
    webhookId: from.webhookId ?? null,
    result: from.result && {
      delivered: from.result.processed,
      failed: from.result.failed,
      filtered: from.result.filtered,
      waiting: from.result.retrying,
    },
  };
}

export function summaryView(from: record.EventSummary): contract.EventSummary {
  return {
    ...picked(from, 'position', 'messageId', 'sourceId', 'type', 'event', 'userId'),
    ...times(from, 'receivedAt'),
  };
}
