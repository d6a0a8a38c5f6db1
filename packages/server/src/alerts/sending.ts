import type { Outcome } from '../core/delivery.ts';
import type { Address, Notice } from './contract.ts';
import { textOf } from './text.ts';
import { incidentView } from './view.ts';

/** What came of an attempt. */
export interface Sent {
  readonly outcome: 'sent' | 'failed' | 'refused';
  /** In words: `200`, or why not. */
  readonly detail: string;
  /** Milliseconds that the receiver asked to wait. */
  readonly retryAfter: number | null;
}

export type SendNotice = (address: Address, notice: Notice) => Promise<Sent>;

export interface SendingOptions {
  /** One request; signed by Standard Webhooks where there is a secret. */
  readonly post: (
    to: { readonly url: string; readonly standardSecret: string | null },
    message: { readonly id: string; readonly body: string },
  ) => Promise<Outcome>;
  /** Null where no mail server is set. */
  readonly mail: SendMail | null;
}

/** @throws Error with `responseCode` where the server answered. */
export type SendMail = (mail: {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}) => Promise<void>;

/** Longest wait for a mail server to answer at all, milliseconds. */
const GREETING_MS = 10_000;
/** Longest wait for what it says of a mail, which may be looked through first. */
const ANSWER_MS = 60_000;

/** Mail by SMTP. The library is loaded with the first of it. */
export function createMail(url: string, from: string): SendMail {
  return async (mail) => {
    const { createTransport } = await import('nodemailer');
    const timeouts = { connectionTimeout: GREETING_MS, greetingTimeout: GREETING_MS, socketTimeout: ANSWER_MS };
    const transport = createTransport({ url, ...timeouts }, { from });
    try {
      await transport.sendMail(mail);
    } finally {
      transport.close();
    }
  };
}

/** Sends notices, each to the kind of its address. Never throws. */
export function createSendNotice({ post, mail }: SendingOptions): SendNotice {
  return async (address, notice) => {
    const { id } = notice;
    switch (address.kind) {
      case 'webhook':
        return ofOutcome(await post(address, { id, body: bodyOf(notice) }));
      case 'slack': {
        const body = JSON.stringify({ text: escaped(textOf(notice).text) });
        return ofOutcome(await post({ url: address.url, standardSecret: null }, { id, body }));
      }
      case 'email':
        return mail === null ? refused('MILLRACE_SMTP_URL is not set') : mailed(mail, address.to, notice);
      default:
        return address satisfies never;
    }
  };
}

/** The body of a webhook (docs/alerts.md). */
function bodyOf(notice: Notice): string {
  const { type, incidents, count, createdAt } = notice;
  const timestamp = new Date(createdAt).toISOString();
  const { text } = textOf(notice);
  const views = incidents.map((incident) => incidentView(incident, null));
  if (count === 0) return JSON.stringify({ type: 'test', timestamp, text });
  if (count > 1) return JSON.stringify({ type: `incidents.${type}`, timestamp, text, count, incidents: views });
  return JSON.stringify({ type: `incident.${type}`, timestamp, text, incident: views[0] });
}

/** What Slack would take for a link or a mention. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function ofOutcome({ class: outcome, status, detail, retryAfter }: Outcome): Sent {
  const words = detail ?? `HTTP ${status}`;
  if (outcome === 'success') return { outcome: 'sent', detail: words, retryAfter };
  return { outcome: outcome === 'permanent' ? 'refused' : 'failed', detail: words, retryAfter };
}

async function mailed(mail: SendMail, to: string, notice: Notice): Promise<Sent> {
  try {
    await mail({ to, ...textOf(notice) });
    return { outcome: 'sent', detail: 'taken by the mail server', retryAfter: null };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    // SMTP says for good with 5xx, and for now with 4xx.
    const isFinal = Number(Reflect.get(Object(error), 'responseCode')) >= 500;
    return isFinal ? refused(detail) : { outcome: 'failed', detail, retryAfter: null };
  }
}

function refused(detail: string): Sent {
  return { outcome: 'refused', detail, retryAfter: null };
}
