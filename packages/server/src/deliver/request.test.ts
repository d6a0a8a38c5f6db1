import { expect, test } from 'vitest';
import { headersFor, requestHeaders } from './request.ts';
import { signer } from './signature.ts';

const body = Buffer.from('{"type":"track"}');
const message = { body, sourceId: 'src_1', messageId: 'm-1', userId: 'u-1' };

test('the headers of a signed request', () => {
  const webhook = { url: 'https://example.com/', headers: { 'X-Team': 'growth', Authorization: 'Bearer a:b' } };
  expect(requestHeaders({ webhook, sharedSecret: 'secret' }, message, () => 'web')).toEqual({
    'Content-Type': 'application/json',
    'User-Agent': 'Millrace/1.0',
    'X-Team': 'growth',
    Authorization: 'Bearer a:b',
    'X-Millrace-Source': 'src_1',
    'X-Millrace-Source-Type': 'web',
    'X-Signature': signer('secret')(body),
  });
});

test('without a secret nothing is signed', () => {
  const webhook = { url: 'https://example.com/', headers: {} };
  const headers = requestHeaders({ webhook, sharedSecret: null }, message, () => 'web');
  expect(Object.keys(headers)).toEqual(['Content-Type', 'User-Agent', 'X-Millrace-Source', 'X-Millrace-Source-Type']);
});

test('a static header that can not be set any more is left out', () => {
  const webhook = {
    url: 'https://example.com/',
    headers: { 'x-millrace-source': 'mine', 'Webhook-Id': '1', 'X-Team': 'a' },
  };
  const headers = requestHeaders({ webhook, sharedSecret: null }, message, () => 'web');
  expect(headers).toMatchObject({ 'X-Millrace-Source': 'src_1', 'X-Team': 'a' });
  expect(Object.keys(headers).map((name) => name.toLowerCase())).not.toContain('webhook-id');
});

test('a message says its place in the order of acceptance', () => {
  const webhook = { url: 'https://example.com/', headers: { 'X-Millrace-Position': 'mine' } };
  const headers = requestHeaders(
    { webhook, sharedSecret: null },
    { ...message, position: 562_949_953_421_312 },
    () => 'web',
  );
  expect(headers['X-Millrace-Position']).toBe('562949953421312');
  expect(requestHeaders({ webhook, sharedSecret: null }, message, () => 'web')).not.toHaveProperty(
    'X-Millrace-Position',
  );
});

test('each message says its source', () => {
  const headersOf = headersFor({ webhook: { url: 'https://example.com/', headers: {} }, sharedSecret: null }, (id) =>
    id === 'shop' ? 'web' : 'server',
  );
  expect(headersOf({ ...message, sourceId: 'shop' }).slice(4)).toEqual(sourceHeaders('shop', 'web'));
  expect(headersOf({ ...message, sourceId: 'crm' }).slice(4)).toEqual(sourceHeaders('crm', 'server'));
});

function sourceHeaders(id: string, type: string): string[] {
  return ['X-Millrace-Source', id, 'X-Millrace-Source-Type', type];
}
