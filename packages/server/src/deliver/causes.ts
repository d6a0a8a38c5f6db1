import type { OutcomeClass } from '../core/delivery.ts';
import { type FailReason, REASONS } from '../core/reason.ts';
import { classifyStatus, SEND_ERRORS, type SendErrorCode } from '../core/send-error.ts';
import { adviceFor } from './advice.ts';
import { PRIVATE_AUTHORITY } from './classify.ts';

/** Why attempts ended as they did, and what to do, for the person who looks after a destination. */
export interface Cause {
  readonly title: string;
  readonly advice: string;
  /** Whether a message that ends so is tried again. */
  readonly class: OutcomeClass;
}

/** What to do about each error of a request. */
const WHAT_TO_DO: Readonly<Record<SendErrorCode, string>> = {
  timeout:
    'The endpoint takes the connection or nothing at all, and sends no answer in time. Have it answer at once and work later, or look why it hangs.',
  connection_refused: 'Nothing listens at this host and port. Start the receiver, or correct the port in the URL.',
  connection_reset: 'The receiver, or a proxy before it, cuts connections. Its own log says why.',
  connection_closed: 'The receiver, or a proxy before it, hangs up before it answers. Its own log says why.',
  dns_failure: 'The host name has no address. Check the spelling of the URL, and the name servers of this machine.',
  network_unreachable: 'There is no way from here to the host. Check the network and the firewall of this machine.',
  protocol_error: 'What answers there is no HTTP/1.1 server. Check the port in the URL.',
  tls_failed: 'Both sides agree on no secure connection. Check that this port speaks https.',
  send_failed: 'The detail of the sample says what happened.',
  aborted: 'The service stopped, or the URLs were changed. Nothing is to be done.',
  certificate_self_signed: `Install a certificate of a known authority on the endpoint; ${PRIVATE_AUTHORITY}.`,
  certificate_expired: 'Renew the certificate of the endpoint.',
  certificate_not_yet_valid: 'Check the clocks of both machines.',
  certificate_wrong_host: 'Use a name in the URL that the certificate is for, or install one for this host.',
  certificate_untrusted: `Install the whole chain of certificates on the endpoint, of a known authority; ${PRIVATE_AUTHORITY}.`,
  address_not_allowed:
    'The host leads to an address of a private network. Use a public one, or set MILLRACE_ALLOW_PRIVATE_URLS=true.',
  url_stalled: 'Look at what this URL answered before. It is tried again by itself.',
};

/** What to do about messages that fail without an attempt of their own. */
const WITHOUT_ATTEMPT: Readonly<Record<FailReason, string>> = {
  rejected: 'Its attempts say why.',
  window_ended: 'Sending was paused while the endpoint failed. Once it works, send these messages again.',
  retention_ended: 'The message is gone.',
};

/** Of an attempt's end (core/tally.ts), or of why a message failed. What this version doesn't know keeps its code. */
export function causeOf(end: string): Cause {
  if (/^\d{3}$/.test(end)) {
    const status = Number(end);
    return { title: `Answered ${end}`, advice: adviceFor(status), class: classifyStatus(status) };
  }
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
