import { PRIVATE_AUTHORITY } from '../core/certificate.ts';
import type { OutcomeClass } from '../core/delivery.ts';
import type { Policy } from '../core/destination.ts';
import { type FailReason, REASONS } from '../core/reason.ts';
import { classifyStatus, SEND_ERRORS, type SendErrorCode } from '../core/send-error.ts';
import { adviceFor } from './advice.ts';
import { NO_POLICY, ownClass } from './policy.ts';

/** Why attempts ended as they did, and what to do about it, for the person who looks after a destination. */
export interface Cause {
  readonly title: string;
  readonly advice: string;
  /** Whether a message that ends in this way is tried again. */
  readonly class: OutcomeClass;
}

/** What to do about each error of a request. */
const WHAT_TO_DO: Readonly<Record<SendErrorCode, string>> = {
  timeout:
    'Read the detail of the sample. If no connection was open, the host is down, its name servers do not answer, a firewall drops packets from this machine, or the port does not speak https. Otherwise the endpoint did not answer in time: let it answer at once and do its work afterwards, or find out why it hangs.',
  connection_refused: 'Nothing listens at this host and port. Start the receiver, or correct the port in the URL.',
  connection_reset: 'The receiver, or a proxy in front of it, resets connections. Read its log.',
  connection_closed: 'The receiver, or a proxy in front of it, closes the connection before it answers. Read its log.',
  dns_failure:
    'Read the detail of the sample. ENOTFOUND: the host name has no address, so check the spelling of the URL. EAI_AGAIN: no name server gave an answer, so check the name servers of this machine and those of the name.',
  network_unreachable: 'This machine has no route to the host. Check its network and its firewall.',
  protocol_error:
    'Read the detail of the sample: the server at this port does not speak HTTP/1.1, or the headers of its answer are too many or longer than 64 KiB. Check the port in the URL, and what the receiver, or a proxy in front of it, answers.',
  tls_failed:
    'Read the detail of the sample. Check that this port speaks https by TLS 1.2 or 1.3, and asks for no client certificate: Millrace has none.',
  send_failed: 'Read the detail of the sample.',
  aborted: 'The service stopped, or the URLs were changed. There is nothing to do.',
  certificate_self_signed: `Install a certificate from a known authority on the endpoint; ${PRIVATE_AUTHORITY}.`,
  certificate_expired: 'Renew the certificate of the endpoint.',
  certificate_not_yet_valid: 'Check the clocks of both machines.',
  certificate_wrong_host: 'Use a host name that the certificate is valid for, or install a certificate for this host.',
  certificate_untrusted: `The detail of the sample says why, such as a weak key. Install the whole certificate chain of a known authority on the endpoint; ${PRIVATE_AUTHORITY}.`,
  address_not_allowed:
    'The host resolves to a private address. Use a public address, or set MILLRACE_ALLOW_PRIVATE_URLS=true.',
  paused: 'Resume the destination when its receiver is ready. Its messages wait until then.',
  order_given_up: 'Look at the earlier call of this user, and why it fails.',
  url_stalled:
    'Look at the earlier answers of this URL. Millrace tries the URL again by itself, but no message that has failed.',
  url_overloaded:
    'This URL answers too slowly, or asks for pauses (Retry-After). Let it take more requests, or give it a destination of its own, whose messages wait for it.',
};

/** What to do about messages that failed without a request. */
const WITHOUT_ATTEMPT: Readonly<Record<FailReason, string>> = {
  rejected: 'Open a message: its attempts say why.',
  rejected_by_one: 'Open a message: its attempts say which URL refused it, and why.',
  window_ended: 'Sending was paused while the endpoint failed. Replay these messages once it works.',
  retention_ended:
    'Resume what is paused. On a single node, replay these messages now: they are removed within about a day. In a cluster they are gone.',
};

/** The codes with which a message can fail, in place of a status. */
export const ENDS: readonly string[] = [...Object.keys(WHAT_TO_DO), ...Object.keys(WITHOUT_ATTEMPT)];

/**
 * The cause behind an attempt's end (core/tally.ts), or behind the reason why a message failed. `policy`: of the destination. An
 * end that this version does not know keeps its code.
 */
export function causeOf(end: string, policy?: Policy | null): Cause {
  if (/^\d{3}$/.test(end)) return answered(Number(end), policy ?? NO_POLICY);
  if (Object.hasOwn(WHAT_TO_DO, end)) {
    const code = end as SendErrorCode;
    return { title: SEND_ERRORS[code].means, advice: WHAT_TO_DO[code], class: SEND_ERRORS[code].class };
  }
  if (Object.hasOwn(WITHOUT_ATTEMPT, end)) {
    const reason = end as FailReason;
    return { title: REASONS[reason].means.replace(/\.$/, ''), advice: WITHOUT_ATTEMPT[reason], class: 'permanent' };
  }
  return { title: end, advice: 'The messages below say what happened.', class: 'temporary' };
}

function answered(status: number, policy: Policy): Cause {
  const rule = classifyStatus(status);
  const own = ownClass(status, policy) ?? rule;
  const words = { permanent: 'not tried again', temporary: 'tried again', success: 'a success' };
  const departs = own === rule ? '' : ` By the settings of this destination it is ${words[own]}.`;
  return { title: `Answered ${status}`, advice: adviceFor(status) + departs, class: own };
}
