import type { Outcome } from '../core/delivery.ts';
import { hostOf, isLoopbackHost } from '../core/loopback.ts';
import { shortened } from '../core/shortened.ts';
import type { Timer } from '../core/timer.ts';
import type { Address, Notice } from './contract.ts';
import { textOf } from './text.ts';
import { incidentView } from './view.ts';

/** The result of an attempt. */
export interface Sent {
  readonly outcome: 'sent' | 'failed' | 'refused';
  /** In words: `200`, or the reason of the failure. */
  readonly detail: string;
  /** How long the receiver asks to wait, milliseconds. */
  readonly retryAfter: number | null;
}

/** Sends one notice. Ends within a minute, and soon after the signal aborts; then no connection is left open. Never throws. */
export type SendNotice = (address: Address, notice: Notice, signal: AbortSignal) => Promise<Sent>;

export interface SendingOptions {
  /** Sends one request, signed by Standard Webhooks if there is a secret. Ends when the signal aborts. */
  readonly post: (
    to: { readonly url: string; readonly standardSecret: string | null },
    message: { readonly id: string; readonly body: string },
    signal: AbortSignal,
  ) => Promise<Outcome>;
  /** Null if no mail server is set. */
  readonly mail: SendMail | null;
  readonly timer: Timer;
}

/** @throws Error, with `responseCode` if the server answered. Also throws when the signal aborts. */
export type SendMail = (
  mail: { readonly id: string; readonly to: string; readonly subject: string; readonly text: string },
  signal: AbortSignal,
) => Promise<void>;

/** Longest wait for the first answer of a mail server, milliseconds. */
const GREETING_MS = 10_000;
/** Longest duration of an attempt, milliseconds. A mail server may check a mail before it answers. */
const ATTEMPT_MS = 60_000;

/**
 * Sends mail by SMTP. The library is loaded with the first mail. A password is sent over TLS only, unless the URL says
 * `?requireTLS=false`: settings in the URL override these options.
 */
export function createMail(url: string, from: string): SendMail {
  const server = new URL(url);
  const requireTLS = server.password !== '' && !isLoopbackHost(hostOf(server));
  const sender = senderOf(from);
  return async ({ id, to, ...words }, signal) => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: GREETING_MS, greetingTimeout: GREETING_MS };
    // 0: `close` destroys the socket at once, without waiting for the server to close it.
    const transport = createTransport({ url, ...timeouts, requireTLS, socketCloseTimeout: 0 });
    try {
      // As an object: a text would be read as a list of addresses. A repeated mail keeps its message id.
      await transport.sendMail({
        ...{ ...words, from: sender, to: { name: '', address: to }, signal },
        messageId: `<${id}@${sender.address.slice(sender.address.lastIndexOf('@') + 1)}>`,
      });
    } finally {
      transport.close();
    }
  };
}

/** Parses an address, or a name and an address: `Millrace <alerts@example.com>`. */
function senderOf(text: string): { readonly name: string; readonly address: string } {
  const [, name, address] = /^(.*)<(.+)>$/.exec(text) ?? ['', '', text];
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address };
}

/** Sends notices, by the kind of the address. */
export function createSendNotice({ post, mail, timer }: SendingOptions): SendNotice {
  const send: SendNotice = async (address, notice, signal) => {
    const { id } = notice;
    switch (address.kind) {
      case 'webhook':
        return ofOutcome(await post(address, { id, body: bodyOf(notice) }, signal));
      case 'slack': {
        const body = JSON.stringify({ text: escaped(textOf(notice).text) });
        return ofOutcome(await post({ url: address.url, standardSecret: null }, { id, body }, signal));
      }
      case 'email':
        return mail === null ? refused('MILLRACE_SMTP_URL is not set') : mailed(mail, address.to, notice, signal);
      default:
        return address satisfies never;
    }
  };
  return async (address, notice, signal) => {
    const late = new AbortController();
    const cancel = timer.after(ATTEMPT_MS, () => late.abort());
    const sent = await send(address, notice, AbortSignal.any([signal, late.signal]));
    cancel();
    const isLate = late.signal.aborted && sent.outcome === 'failed';
    return isLate ? { ...sent, detail: `no answer within ${ATTEMPT_MS / 1_000} s` } : sent;
  };
}

/** The body of a webhook (docs/alerts.md). */
function bodyOf(notice: Notice): string {
  const { type, incidents, count, createdAt } = notice;
  const timestamp = new Date(createdAt).toISOString();
  const { text } = textOf(notice);
  const views = incidents.map((incident) => incidentView(incident, { snoozedUntil: null, endsAt: null }));
  if (count === 0) return JSON.stringify({ type: 'test', timestamp, text });
  if (count > 1) return JSON.stringify({ type: `incidents.${type}`, timestamp, text, count, incidents: views });
  return JSON.stringify({ type: `incident.${type}`, timestamp, text, incident: views[0] });
}

/**
 * Escapes what Slack would read as a link or a mention. What Mattermost and Rocket.Chat would read as one gets a space without width:
 * anybody may choose a messageId with the public key of a page.
 */
function escaped(text: string): string {
  const forSlack = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return forSlack.replaceAll(/(?<!\w)@(?=\w)/g, '@\u200b').replaceAll('](', ']\u200b(');
}

function ofOutcome({ class: outcome, status, detail, retryAfter }: Outcome): Sent {
  const words = detail ?? `HTTP ${status}`;
  if (outcome === 'success') return { outcome: 'sent', detail: words, retryAfter };
  return { outcome: outcome === 'permanent' ? 'refused' : 'failed', detail: words, retryAfter };
}

async function mailed(mail: SendMail, to: string, notice: Notice, signal: AbortSignal): Promise<Sent> {
  try {
    await mail({ id: notice.id, to, ...textOf(notice) }, signal);
    return { outcome: 'sent', detail: 'taken by the mail server', retryAfter: null };
  } catch (error) {
    const detail = shortened(error instanceof Error ? error.message : String(error));
    // In SMTP, 5xx is a permanent error and 4xx a temporary one.
    const isRefusal = Number(Reflect.get(Object(error), 'responseCode')) >= 500;
    const isFinal = isRefusal && !BEFORE_A_MAIL.test(String(Reflect.get(Object(error), 'command')));
    return isFinal ? refused(detail) : { outcome: 'failed', detail, retryAfter: null };
  }
}

/** What is answered to these, such as to a wrong password, concerns no single mail, and is set right by a person. */
const BEFORE_A_MAIL = /^(?:CONN|EHLO|HELO|STARTTLS|AUTH)/;

function refused(detail: string): Sent {
  return { outcome: 'refused', detail, retryAfter: null };
}
