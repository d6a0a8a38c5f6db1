/**
 * Every error that stands in the place of a status: what happens next (contract 3), what it means, and whether it counts as no request (`notSent`). The table of
 * docs/delivery.md and the interface's words are made from it. Codes are stable: they are never renamed, only added.
 */
export const SEND_ERRORS = {
  timeout: { class: 'temporary', means: 'No response headers came in time' },
  connection_refused: { class: 'temporary', means: 'The connection was refused' },
  connection_reset: { class: 'temporary', means: 'The connection was reset' },
  connection_closed: { class: 'temporary', means: 'The connection was closed before the response headers' },
  dns_failure: { class: 'temporary', means: 'The name could not be resolved' },
  network_unreachable: { class: 'temporary', means: 'There is no route to this address' },
  protocol_error: {
    class: 'temporary',
    means: 'The answer was not valid HTTP/1.1, or its headers were too many or too long',
  },
  tls_failed: { class: 'temporary', means: 'The TLS handshake failed' },
  send_failed: { class: 'temporary', means: 'The request could not be sent' },
  aborted: {
    class: 'temporary',
    notSent: true,
    means: 'The service stopped, or the URL, its secret or the timeout was changed, before the request ended',
  },
  certificate_self_signed: { class: 'permanent', means: 'The certificate is self-signed' },
  certificate_expired: { class: 'permanent', means: 'The certificate has expired' },
  certificate_not_yet_valid: { class: 'permanent', means: 'The certificate is not valid yet' },
  certificate_wrong_host: { class: 'permanent', means: 'The certificate belongs to another host' },
  certificate_untrusted: { class: 'permanent', means: 'The certificate could not be verified' },
  address_not_allowed: { class: 'permanent', means: 'The address is not allowed' },
  paused: {
    class: 'temporary',
    notSent: true,
    means: 'Not sent: the destination, or this URL, was paused before its turn came',
  },
  order_given_up: {
    class: 'temporary',
    notSent: true,
    means: 'Sent before an earlier call of its user, which was still tried again after the longest hold',
  },
  url_stalled: {
    class: 'temporary',
    notSent: true,
    means:
      'Not sent: this URL has failed several times in a row, and no message waits for it while another URL works or the breaker is open',
  },
  url_overloaded: {
    class: 'temporary',
    notSent: true,
    means:
      'Not sent: this URL takes fewer messages than come, and no message waits for it for more than a minute while another URL keeps up',
  },
} as const;

export type SendErrorCode = keyof typeof SEND_ERRORS;

/** Errors of attempts that sent no request. */
export const NOT_SENT: ReadonlySet<string | null> = new Set(
  Object.entries(SEND_ERRORS).flatMap(([code, error]) => ('notSent' in error ? code : [])),
);

/** The class of an answer's status (contract 3). */
export function classifyStatus(status: number): 'success' | 'temporary' | 'permanent' {
  if (status >= 200 && status < 300) return 'success';
  if (status >= 500 || status === 408 || status === 425 || status === 429) return 'temporary';
  return 'permanent';
}
