/** Why a message failed or was filtered (docs/delivery.md, "States"), as a person would say it. */
export const REASONS: Readonly<Record<string, string>> = {
  rejected: 'Every URL refused it for good.',
  window_ended: 'The retry window ended without a success.',
  retention_ended: 'It waited longer than events are kept, and is gone.',
  destination_disabled: 'The destination was switched off.',
  source_disconnected: 'The source was disconnected from the destination before its turn came.',
  integrations: "The call's “integrations” said no to this kind of destination.",
  track_filter: "The destination's track filter left the event's name out.",
  too_old: 'It had happened longer ago than the destination takes when it was accepted.',
  user_deleted: 'The user was deleted while the message waited; nothing of it is left.',
};

/** What stands in place of a status (docs/delivery.md, "Outcome of a request"). */
export const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'No response headers came in time.',
  connection_refused: 'The connection was refused.',
  connection_reset: 'The connection was reset.',
  connection_closed: 'The connection was closed before the response headers.',
  dns_failure: 'The name could not be resolved.',
  network_unreachable: 'There is no way to this address.',
  protocol_error: 'The answer was not valid HTTP/1.1.',
  tls_failed: 'No secure connection could be agreed on.',
  send_failed: 'The request could not be sent.',
  aborted: "It was given up when the service stopped or the destination's URLs were changed.",
  certificate_self_signed: 'The certificate is self-signed.',
  certificate_expired: 'The certificate has expired.',
  certificate_not_yet_valid: 'The certificate is not valid yet.',
  certificate_wrong_host: 'The certificate belongs to another host.',
  certificate_untrusted: 'The certificate could not be verified.',
  address_not_allowed: 'The address is not allowed, so no connection was made.',
  url_stalled: 'Not sent: this URL has failed several times in a row, and no message waits for it.',
};

/** A reason that this version doesn't know keeps its code. */
export function reasonInWords(reason: string | null): string | null {
  return reason === null ? null : (REASONS[reason] ?? reason);
}

export function errorInWords(error: string | null): string | null {
  return error === null ? null : (ERRORS[error] ?? error);
}
