import { expect, test } from 'vitest';
import { requestHeaders } from './request.ts';
import { signer } from './signature.ts';

const body = Buffer.from('{"type":"track"}');

test('the headers of a signed request', () => {
  const webhook = { url: 'https://example.com/', headers: { 'X-Team': 'growth', Authorization: 'Bearer a:b' } };
  expect(requestHeaders({ webhook, sharedSecret: 'secret' }, body)).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Millrace/1.0',
    'X-Team': 'growth',
    Authorization: 'Bearer a:b',
    'X-Signature': signer('secret')(body),
  });
});

test('without a secret nothing is signed', () => {
  const webhook = { url: 'https://example.com/', headers: {} };
  expect(Object.keys(requestHeaders({ webhook, sharedSecret: null }, body))).toEqual(['Content-Type', 'User-Agent']);
});
