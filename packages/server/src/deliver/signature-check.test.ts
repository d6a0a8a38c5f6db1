import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { signer, standardSecretOf, standardSigner } from './signature.ts';
import { checkSignature } from './signature-check.ts';

const SECRET = 'a secret, 0123abcd';
const BODY = '{"version":1,"type":"track","event":"Zürich/1","list":[1,{"a":"b, c: d"}],"none":{}}';
const RIGHT = signer(SECRET)(Buffer.from(BODY));

function hmac(key: string | Buffer, text: string | Buffer, hash = 'sha1'): string {
  return createHmac(hash, key).update(text).digest('hex');
}

test('the signature that is sent fits', () => {
  expect(checkSignature({ secret: SECRET, body: BODY, signature: RIGHT })).toEqual({
    scheme: 'segment',
    equal: true,
    expected: RIGHT,
    hint: null,
  });
});

test('a shared secret that is written like one of Standard Webhooks signs as it stands', () => {
  const secret = `whsec_${Buffer.alloc(24, 1).toString('base64')}`;
  const signature = hmac(secret, BODY);
  expect(checkSignature({ secret, body: BODY, signature })).toMatchObject({ scheme: 'segment', equal: true });
});

const parsed: unknown = JSON.parse(BODY);
const python = '{"version": 1, "type": "track", "event": "Z\\u00fcrich/1", "list": [1, {"a": "b, c: d"}], "none": {}}';

test.each<[string, string, string, string, string]>([
  ['nothing', SECRET, BODY, '', 'There is no signature'],
  ['space around it', SECRET, BODY, `${RIGHT}\n`, 'trim it before you compare'],
  ['upper case', SECRET, BODY, RIGHT.toUpperCase(), 'upper case'],
  ['a prefix', SECRET, BODY, `sha1=${RIGHT}`, 'has a prefix'],
  ['base64', SECRET, BODY, Buffer.from(RIGHT, 'hex').toString('base64'), 'in base64'],
  ['SHA-256', SECRET, BODY, hmac(SECRET, BODY, 'sha256'), 'made with SHA-256'],
  [
    'no HMAC',
    SECRET,
    BODY,
    createHash('sha1')
      .update(SECRET + BODY)
      .digest('hex'),
    'a plain SHA-1',
  ],
  ['a secret with a line break', SECRET, BODY, hmac(`${SECRET}\n`, BODY), 'The secret has white space'],
  ['a secret given with a space', ` ${SECRET}`, BODY, RIGHT, 'The secret has white space'],
  ['a decoded secret', 'c2VjcmV0', BODY, hmac(Buffer.from('c2VjcmV0', 'base64'), BODY), 'decodes the secret'],
  ['a trailing line break', SECRET, `${BODY}\n`, RIGHT, 'The body ends with a line break'],
  ['a byte order mark', SECRET, BODY, hmac(SECRET, `\uFEFF${BODY}`), 'byte order mark'],
  ['an indented body', SECRET, JSON.stringify(parsed, null, 2), RIGHT, 'parsed and written again'],
  [
    'a body that was written again',
    SECRET,
    BODY,
    hmac(SECRET, JSON.stringify(parsed, null, 4)),
    'parsed and written again',
  ],
  ['a body that Python wrote', SECRET, BODY, hmac(SECRET, python), 'parsed and written again'],
  [
    'a body that PHP wrote',
    SECRET,
    BODY,
    hmac(SECRET, BODY.replace('ü', '\\u00fc').replace('/', '\\/')),
    'parsed and written again',
  ],
  ['Latin-1', SECRET, BODY, hmac(SECRET, Buffer.from(BODY, 'latin1')), 'not taken as UTF-8'],
  ['both exchanged', SECRET, BODY, hmac(BODY, SECRET), 'changed places'],
  ['no digits', SECRET, BODY, 'none of this', 'not hexadecimal'],
  ['too many digits', SECRET, BODY, 'ab'.repeat(32), 'as SHA-256 makes them'],
  ['too few digits', SECRET, BODY, RIGHT.slice(0, 20), 'These are 20 digits'],
  ['another secret', 'another', BODY, RIGHT, 'another secret or from another body'],
  ['a body that is no JSON', SECRET, 'a=b', RIGHT, 'another secret or from another body'],
])('%s: the hint says so', (_, secret, body, signature, hint) => {
  const verdict = checkSignature({ secret, body, signature });
  expect(verdict).toMatchObject({ equal: false, expected: signer(secret)(Buffer.from(body)) });
  expect(verdict.hint).toContain(hint);
});

test('a body of more levels than any message is compared as it is', () => {
  const deep = `${'['.repeat(3_000)}${']'.repeat(3_000)}`;
  expect(checkSignature({ secret: SECRET, body: deep, signature: hmac(SECRET, deep) })).toMatchObject({ equal: true });
  const other = hmac(SECRET, 'something else');
  expect(checkSignature({ secret: SECRET, body: deep, signature: other }).hint).toContain(
    'another secret or from another body',
  );
});

test('a body that indenting would blow up is tried without it', () => {
  const level = 100;
  const body = `${'['.repeat(level)}${'1, '.repeat(20_000)}1${']'.repeat(level)}`;
  const compact = body.replaceAll(' ', '');
  expect(checkSignature({ secret: SECRET, body, signature: hmac(SECRET, compact) }).hint).toContain(
    'parsed and written again',
  );
  const indented = hmac(SECRET, JSON.stringify(JSON.parse(body), null, 2));
  expect(checkSignature({ secret: SECRET, body, signature: indented }).hint).toContain(
    'another secret or from another body',
  );
});

const STANDARD = standardSecretOf(Buffer.alloc(32, 7));
const [ID, TIMESTAMP] = ['msg_1', '1700000000'];
const SIGNED = standardSigner(STANDARD)(`${ID}.${TIMESTAMP}.`, Buffer.from(BODY));
const sha256 = (key: string | Buffer, text: string): string =>
  `v1,${createHmac('sha256', key).update(text).digest('base64')}`;

test('a signature of Standard Webhooks fits, among several', () => {
  const given = { secret: STANDARD, body: BODY, webhookId: ID, webhookTimestamp: TIMESTAMP };
  expect(checkSignature({ ...given, signature: `v1a,abc ${SIGNED}` })).toEqual({
    ...{ scheme: 'standard', equal: true, expected: SIGNED, hint: null },
  });
});

test.each<[string, Partial<Parameters<typeof checkSignature>[0]>, string]>([
  ['no id', { webhookId: '' }, 'give these two headers'],
  ['no scheme', { signature: SIGNED.slice(3) }, 'lacks its scheme'],
  ['hexadecimal', { signature: Buffer.from(SIGNED.slice(3), 'base64').toString('hex') }, 'in hexadecimal'],
  ['a key that was not decoded', { signature: sha256(STANDARD, `${ID}.${TIMESTAMP}.${BODY}`) }, 'not decoded'],
  ['the body alone', { signature: sha256(Buffer.alloc(32, 7), BODY) }, 'body alone'],
  [
    'a body that was written again',
    { signature: sha256(Buffer.alloc(32, 7), `${ID}.${TIMESTAMP}.${python}`) },
    'written again',
  ],
  ['another secret', { signature: sha256('another', BODY) }, 'another secret'],
])('of Standard Webhooks, %s is told', (_, change, words) => {
  const right = { secret: STANDARD, body: BODY, webhookId: ID, webhookTimestamp: TIMESTAMP, signature: SIGNED };
  const verdict = checkSignature({ ...right, ...change });
  expect(verdict).toMatchObject({ scheme: 'standard', equal: false });
  expect(verdict.hint).toContain(words);
});
