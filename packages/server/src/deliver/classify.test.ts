import { describe, expect, test } from 'vitest';
import { PRIVATE_AUTHORITY } from '../core/certificate.ts';
import { classifyStatus, SEND_ERRORS } from '../core/send-error.ts';
import { AddressNotAllowed } from './address.ts';
import { classifyError } from './classify.ts';

describe('a status', () => {
  test.each([
    [200, 'success'],
    [201, 'success'],
    [204, 'success'],
    [299, 'success'],
    [300, 'permanent'],
    [301, 'permanent'],
    [304, 'permanent'],
    [307, 'permanent'],
    [308, 'permanent'],
    [400, 'permanent'],
    [401, 'permanent'],
    [404, 'permanent'],
    [408, 'temporary'],
    [410, 'permanent'],
    [413, 'permanent'],
    [425, 'temporary'],
    [426, 'permanent'],
    [429, 'temporary'],
    [451, 'permanent'],
    [499, 'permanent'],
    [500, 'temporary'],
    [501, 'temporary'],
    [503, 'temporary'],
    [599, 'temporary'],
    [999, 'temporary'],
  ] as const)('%i is %s', (status, expected) => {
    expect(classifyStatus(status)).toBe(expected);
  });
});

const coded = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });

describe('an error', () => {
  test.each([
    ['ECONNREFUSED', 'connection_refused', 'temporary'],
    ['ECONNRESET', 'connection_reset', 'temporary'],
    ['EPIPE', 'connection_closed', 'temporary'],
    ['UND_ERR_SOCKET', 'connection_closed', 'temporary'],
    ['ENOTFOUND', 'dns_failure', 'temporary'],
    ['EAI_AGAIN', 'dns_failure', 'temporary'],
    ['ETIMEDOUT', 'timeout', 'temporary'],
    ['ENETUNREACH', 'network_unreachable', 'temporary'],
    ['EHOSTUNREACH', 'network_unreachable', 'temporary'],
    ['EPROTO', 'tls_failed', 'temporary'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed', 'temporary'],
    ['EMFILE', 'send_failed', 'temporary'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate_self_signed', 'permanent'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'certificate_untrusted', 'permanent'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'certificate_untrusted', 'permanent'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'certificate_untrusted', 'permanent'],
    ['CERT_REVOKED', 'certificate_untrusted', 'permanent'],
    ['INVALID_PURPOSE', 'certificate_untrusted', 'permanent'],
    ['UNSPECIFIED', 'certificate_untrusted', 'permanent'],
    ['CERT_HAS_EXPIRED', 'certificate_expired', 'permanent'],
    ['CERT_NOT_YET_VALID', 'certificate_not_yet_valid', 'permanent'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate_wrong_host', 'permanent'],
  ] as const)('%s is %s, %s', (code, error, outcome) => {
    const ofAnAuthority = error === 'certificate_self_signed' || error === 'certificate_untrusted';
    expect(classifyError(coded(code))).toEqual({
      class: outcome,
      error,
      detail: `${SEND_ERRORS[error].means}${ofAnAuthority ? ` (${PRIVATE_AUTHORITY})` : ''}: it failed (${code})`,
    });
  });

  test('that says its code already does not say it twice', () => {
    const error = coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9');
    expect(classifyError(error).detail).toBe('The connection was refused: connect ECONNREFUSED 127.0.0.1:9');
  });

  test('of a refused address names the setting', () => {
    expect(classifyError(new AddressNotAllowed('a.test', '10.0.0.1', 'private'))).toMatchObject({
      class: 'permanent',
      error: 'address_not_allowed',
      detail: expect.stringContaining('MILLRACE_ALLOW_PRIVATE_URLS'),
    });
  });

  test('of several addresses tells each', () => {
    const errors = [
      coded('ECONNREFUSED', 'connect ECONNREFUSED ::1:9'),
      coded('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:9'),
    ];
    const error = Object.assign(new AggregateError(errors), { code: 'ECONNREFUSED' });
    expect(classifyError(error)).toMatchObject({
      error: 'connection_refused',
      detail: 'The connection was refused: connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9',
    });
  });

  test.each(['bad response', 'bad upgrade'])('of the HTTP client about a %s is a protocol error', (message) => {
    expect(classifyError(coded('UND_ERR_SOCKET', message)).error).toBe('protocol_error');
  });

  test.each(['HPE_INVALID_VERSION', undefined])(
    'of the HTTP parser is a protocol error, whatever its code: %s',
    (code) => {
      const error = Object.assign(new Error('Expected HTTP/'), { name: 'HTTPParserError', code });
      expect(classifyError(error)).toMatchObject({ class: 'temporary', error: 'protocol_error' });
    },
  );

  test.each([['text'], [undefined], [new Error('no code')], [Object.assign(new Error('odd'), { code: 7 })]])(
    'without a known code is temporary: %s',
    (error) => {
      expect(classifyError(error)).toMatchObject({ class: 'temporary', error: 'send_failed' });
    },
  );
});
