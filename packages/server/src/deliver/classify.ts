import { PRIVATE_AUTHORITY, refusesCertificate } from '../core/certificate.ts';
import type { OutcomeClass } from '../core/delivery.ts';
import { SEND_ERRORS, type SendErrorCode } from '../core/send-error.ts';
import { shortened } from '../core/shortened.ts';

/** Errors of certificates that are right where their authority is a private one. */
const OF_AN_AUTHORITY: ReadonlySet<SendErrorCode> = new Set(['certificate_self_signed', 'certificate_untrusted']);

export interface SendError {
  readonly class: OutcomeClass;
  readonly error: SendErrorCode;
  /** The error in words. */
  readonly detail: string;
}

/** What an error thrown by the network, by TLS or by the HTTP client means. */
export function classifyError(error: unknown): SendError {
  const code = codeOf(error);
  return sendError(codeFor(code, error), shortened(wordsOf(error, code)));
}

/** An error as it is recorded. `more` adds what is particular to this one. */
export function sendError(error: SendErrorCode, more = ''): SendError {
  const { class: outcome, means } = SEND_ERRORS[error];
  const words = OF_AN_AUTHORITY.has(error) ? `${means} (${PRIVATE_AUTHORITY})` : means;
  return { class: outcome, error, detail: more === '' ? `${words}.` : `${words}: ${more}` };
}

const CODES: Readonly<Record<string, SendErrorCode>> = {
  address_not_allowed: 'address_not_allowed',
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_closed',
  UND_ERR_SOCKET: 'connection_closed',
  ETIMEDOUT: 'timeout',
  ENETUNREACH: 'network_unreachable',
  EHOSTUNREACH: 'network_unreachable',
  ENETDOWN: 'network_unreachable',
  EHOSTDOWN: 'network_unreachable',
  EADDRNOTAVAIL: 'network_unreachable',
  answer_too_large: 'protocol_error',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol_error',
  ERR_ASSERTION: 'protocol_error',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_host',
  HOSTNAME_MISMATCH: 'certificate_wrong_host',
};

function codeFor(code: string, error: unknown): SendErrorCode {
  const known = CODES[code];
  if (known === 'connection_closed' && error instanceof Error && /^bad (response|upgrade)$/.test(error.message)) {
    return 'protocol_error';
  }
  if (known !== undefined) return known;
  if (refusesCertificate(code)) return 'certificate_untrusted';
  // undici's parser gives a code to some errors only.
  if (error instanceof Error && error.name === 'HTTPParserError') return 'protocol_error';
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO') return 'tls_failed';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'dns_failure';
  return 'send_failed';
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The form of OpenSSL's errors: thread, number, library, function; then the reason, and the place in its source. */
const OPENSSL = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:]+):[^\n]*/g;

/** What undici asserts of an answer: its status is 100 or more, and 101 comes only where it was asked for. */
const ASSERTED = 'the status is below 100, or it is 101';

/** For an answer that it can't parse after `Content-Length`, undici reports a body of another length. Before the status is known, the fault is in the headers. */
const NO_HEADER = 'a second Content-Length, one beside Transfer-Encoding, or a line after it that is no header';

/** Where several addresses were tried, each has an error, and only those have a message. */
function wordsOf(error: unknown, code: string): string {
  if (code === 'ERR_ASSERTION') return ASSERTED;
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return NO_HEADER;
  if (error instanceof AggregateError) return error.errors.map((each) => wordsOf(each, codeOf(each))).join('; ');
  const message = (error instanceof Error ? error.message : String(error)).replace(OPENSSL, '$1').trim();
  return code === '' || message.includes(code) ? message : `${message} (${code})`;
}
