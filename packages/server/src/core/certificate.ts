/** What helps where the authority that signed a certificate is a private one. */
export const PRIVATE_AUTHORITY = 'for an authority of your own, start Millrace with NODE_EXTRA_CA_CERTS=/path/ca.pem';

/**
 * Codes of Node's tls module (its X509 error codes) for a certificate that it refuses. `UNSPECIFIED` are those that it has no name for,
 * such as that of a weak key.
 */
const REFUSED =
  /^(UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_SELF_SIGNED_CERT$|CERT_|CRL_|ERROR_IN_C|INVALID_CA$|INVALID_PURPOSE$|PATH_LENGTH_EXCEEDED$|HOSTNAME_MISMATCH$|ERR_TLS_CERT_ALTNAME_INVALID$|UNSPECIFIED$)/;

/** Whether an error code says that the peer's certificate was refused. */
export function refusesCertificate(code: string): boolean {
  return REFUSED.test(code);
}
