import { expect, test } from 'vitest';
import { COLLECTION_PATHS } from '../core/collection-path.ts';
import { classifyStatus } from '../core/send-error.ts';
import { messageAnswered, nameUnknown, tlsRefused, urlFound } from './advice.ts';
import { sendError } from './classify.ts';

test.each([
  [200, 'Answered 200.'],
  [204, 'Answered 204.'],
  [301, 'Redirects are not followed'],
  [304, 'as a cache does'],
  [400, 'would fail and not be tried again'],
  [401, 'such as Authorization'],
  [403, 'such as Authorization'],
  [404, 'check the path'],
  [405, 'does not accept POST'],
  [410, 'Pause this URL'],
  [413, 'too large'],
  [415, 'application/json'],
  [429, 'would be tried again later'],
  [500, 'read its log'],
])('an answer of %i', (status, advice) => {
  expect(messageAnswered({ class: classifyStatus(status), status, detail: null })).toContain(advice);
});

test('no answer tells why', () => {
  const { class: outcome, detail } = sendError('timeout', '5000 ms');
  expect(messageAnswered({ class: outcome, status: null, detail })).toBe(
    'No answer. No response headers came in time: 5000 ms',
  );
});

test('a name server that is silent is not a name that is wrong', () => {
  expect(nameUnknown('example.com', sendError('timeout', '5000 ms'))).toContain('Try again');
  expect(nameUnknown('example.com', sendError('dns_failure'))).toContain('Check the spelling');
  expect(nameUnknown('example.com', sendError('dns_failure', 'getaddrinfo EAI_AGAIN example.com'))).toMatch(
    /^No name server gave an answer for example\.com\./,
  );
});

test.each(['certificate_self_signed', 'certificate_untrusted'] as const)(
  '%s says once how a private authority is trusted, in a check and in what is recorded',
  (code) => {
    const found = sendError(code, 'as Node says it');
    expect(found.detail.match(/NODE_EXTRA_CA_CERTS=\/path\/ca\.pem/g)).toHaveLength(1);
    expect(tlsRefused('example.com', found, null).match(/NODE_EXTRA_CA_CERTS=\/path\/ca\.pem/g)).toHaveLength(1);
  },
);

test('a URL of a collection API is doubted, one that is like it is not', () => {
  for (const path of COLLECTION_PATHS.keys()) {
    expect(urlFound(new URL(path, 'https://example.com'))).toContain('looks like the address of a collection API');
  }
  expect(urlFound(new URL('https://example.com/v1/batch/'))).toContain('looks like');
  for (const path of ['/', '/v1/hook', '/v1/batches', '/hooks/v1/batch', '/?to=/v1/batch']) {
    expect(urlFound(new URL(path, 'https://example.com'))).toBe('https://example.com can be called.');
  }
});
