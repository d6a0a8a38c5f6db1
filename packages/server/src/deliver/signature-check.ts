import { createHash, createHmac } from 'node:crypto';
import { exceeded, MAX_LEVELS, readJson } from '../core/json.ts';
import { signer, standardKey, standardSigner } from './signature.ts';

export interface GivenSignature {
  readonly secret: string;
  readonly body: string;
  /** The header's value: X-Signature, or webhook-signature for a secret of Standard Webhooks. */
  readonly signature: string;
  /** Headers of Standard Webhooks; absent for a shared secret. */
  readonly webhookId?: string;
  readonly webhookTimestamp?: string;
}

export interface SignatureVerdict {
  /** The scheme that such a secret signs by. */
  readonly scheme: 'segment' | 'standard';
  readonly equal: boolean;
  /** The right value of the header. */
  readonly expected: string;
  /** Where both differ: the likely reason in words; null where they are equal. */
  readonly hint: string | null;
}

/**
 * Compares a signature with the right one for the same secret and body. Where they differ, it makes the known mistakes of
 * receivers until one gives the same signature, and names that mistake. Pure.
 */
export function checkSignature(given: GivenSignature): SignatureVerdict {
  const { secret, body, signature } = given;
  // A shared secret may look like one of Standard Webhooks: then the form of the signature tells which it is.
  const isShared = /^[0-9a-f]{40}$/i.test(signature.trim()) || !secret.startsWith('whsec_');
  if (!isShared) return checkStandard(given);
  const expected = signer(secret)(Buffer.from(body));
  const equal = signature === expected;
  return { scheme: 'segment', equal, expected, hint: equal ? null : hintFor({ secret, body, signature, expected }) };
}

/** One of the values in webhook-signature must be right. */
function checkStandard({
  secret,
  body,
  signature,
  webhookId = '',
  webhookTimestamp = '',
}: GivenSignature): SignatureVerdict {
  const before = `${webhookId}.${webhookTimestamp}.`;
  const expected = standardSigner(secret)(before, Buffer.from(body));
  const values = signature.trim().split(/\s+/);
  if (values.includes(expected)) return { scheme: 'standard', equal: true, expected, hint: null };
  const key = standardKey(secret);
  const digests = values.map((value) => value.replace(/^v1,/, ''));
  const isMade = (made: string | Buffer, text: string): boolean =>
    digests.includes(createHmac('sha256', made).update(text).digest('base64'));
  const hint = (): string => {
    if (webhookId === '' || webhookTimestamp === '')
      return 'The signature is of <webhook-id>.<webhook-timestamp>.<body>: give these two headers as well.';
    if (digests.includes(expected.slice('v1,'.length)))
      return 'The signature is right, but lacks its scheme: v1, stands before it.';
    if (digests.includes(Buffer.from(expected.slice('v1,'.length), 'base64').toString('hex')))
      return 'The signature is right, but in hexadecimal: webhook-signature is base64.';
    if ([secret, secret.slice('whsec_'.length)].some((text) => isMade(text, before + body)))
      return 'The key was not decoded: it is the bytes of the base64 after whsec_.';
    if (isMade(key, body)) return 'This signs the body alone: <webhook-id>.<webhook-timestamp>. stands before it.';
    if (serialisations(body).some((text) => isMade(key, before + text)))
      return 'The body was parsed and written again on one of the two sides: sign the bytes as they were received, before any JSON parser.';
    return 'It was made with another secret, id or timestamp, or from another body. Compare each with the request, to the byte.';
  };
  return { scheme: 'standard', equal: false, expected, hint: hint() };
}

interface Different {
  readonly secret: string;
  readonly body: string;
  readonly signature: string;
  readonly expected: string;
}

function hintFor(different: Different): string {
  const form = formHint(different);
  if (form !== null) return form;
  const given = different.signature.trim().toLowerCase();
  for (const [mistake, hint] of MISTAKES) if (mistake(different).includes(given)) return hint;
  return lengthHint(given);
}

/** The right signature in another form. */
function formHint({ signature, expected }: Different): string | null {
  const text = signature.trim();
  if (text === '')
    return 'There is no signature. Requests carry X-Signature only when the destination has a shared secret.';
  if (text === expected) return 'The signature is right, but it has white space around it: trim it before you compare.';
  if (text.toLowerCase() === expected)
    return 'The signature is right, but in upper case: X-Signature is lowercase hexadecimal.';
  const value = /^(?:sha1|hmac-sha1|v1)[=:,]\s*(.+)$/i.exec(text)?.[1];
  if (value?.toLowerCase() === expected)
    return 'The signature is right, but has a prefix: X-Signature is the hexadecimal digits alone.';
  const digest = Buffer.from(expected, 'hex');
  if (text === digest.toString('base64') || text === digest.toString('base64url')) {
    return 'The signature is right, but in base64: X-Signature is lowercase hexadecimal.';
  }
  return null;
}

/** Signatures made with one mistake each, and what to do about it; likely mistakes first. */
const MISTAKES: readonly (readonly [(different: Different) => readonly string[], string])[] = [
  [
    ({ secret, body }) => ['sha256', 'sha512'].map((hash) => createHmac(hash, secret).update(body).digest('hex')),
    'This is made with SHA-256 or SHA-512: X-Signature is HMAC with SHA-1.',
  ],
  [
    ({ secret, body }) =>
      [body, secret + body, body + secret].map((text) => createHash('sha1').update(text).digest('hex')),
    'This is a plain SHA-1 digest: X-Signature is an HMAC, with the shared secret as its key.',
  ],
  [
    ({ secret, body }) => [secret.trim(), `${secret}\n`, `${secret}\r\n`].map((key) => sign(key, body)),
    'The secret has white space around it on one of the two sides, often the line break at the end of a file: trim it.',
  ],
  [
    ({ secret, body }) => (['hex', 'base64'] as const).map((coding) => sign(Buffer.from(secret, coding), body)),
    "One of the two sides decodes the secret from hexadecimal or base64: the key is the secret's own characters, as UTF-8.",
  ],
  [
    ({ secret, body }) =>
      [body.trimEnd(), `${body}\n`, `${body}\r\n`, body.replaceAll('\r\n', '\n')].map((text) => sign(secret, text)),
    'The body ends with a line break or space on one of the two sides, or its line breaks were changed: sign the bytes as they were received.',
  ],
  [
    ({ secret, body }) => [body.replace(/^\uFEFF/, ''), `\uFEFF${body}`].map((text) => sign(secret, text)),
    'The body begins with a byte order mark on one of the two sides: sign the bytes as they were received.',
  ],
  [
    ({ secret, body }) => serialisations(body).map((text) => sign(secret, text)),
    'The body was parsed and written again on one of the two sides: sign the bytes as they were received, before any JSON parser.',
  ],
  [
    ({ secret, body }) => [sign(secret, Buffer.from(body, 'latin1')), sign(secret, Buffer.from(body, 'utf16le'))],
    'The body was not taken as UTF-8: sign the bytes as they were received.',
  ],
  [
    ({ secret, body }) => [sign(body, secret)],
    'The secret and the body have changed places: the secret is the key, the body is the message.',
  ],
];

/**
 * The same JSON as other serialisers write it: JavaScript, indented, Python, PHP. Empty for a body that is no JSON, or is nested
 * more deeply than a message may be. The indented form is left out where it would be far longer than a message.
 */
function serialisations(body: string): readonly string[] {
  const value = readJson(body);
  // A receiver can't have parsed a body that is no JSON.
  if (value === undefined) return [];
  const levels = levelsOf(value);
  if (levels > MAX_LEVELS) return [];
  const compact = JSON.stringify(value);
  const lines = compact.split(/[,[{]/).length;
  const plain = lines * levels > MAX_INDENTED ? [compact] : [compact, ...indented(value)];
  return [...plain, ...plain.map(ascii), ascii(compact).replaceAll('/', '\\/')];
}

function indented(value: unknown): readonly string[] {
  const spaced = JSON.stringify(value, null, 1)
    .replaceAll(/,\n\s*/g, ', ')
    .replaceAll(/\n\s*/g, '');
  return [JSON.stringify(value, null, 2), JSON.stringify(value, null, 4), spaced];
}

/** Lines times levels. A message has some hundreds. */
const MAX_INDENTED = 50_000;

/** `MAX_LEVELS` + 1 stands for all deeper bodies. */
function levelsOf(value: unknown): number {
  let levels = 0;
  while (levels <= MAX_LEVELS && exceeded(value, { levels, values: Infinity }) !== null) levels += 1;
  return levels;
}

function ascii(text: string): string {
  return text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function lengthHint(given: string): string {
  if (!/^[0-9a-f]+$/.test(given)) return 'This is not hexadecimal: X-Signature is 40 digits from 0 to 9 and a to f.';
  if (given.length === 64)
    return 'These are 64 digits, as SHA-256 makes them: X-Signature is HMAC with SHA-1, 40 digits.';
  if (given.length !== 40)
    return `These are ${given.length} digits: X-Signature has 40. Was it cut, or is it another header?`;
  return 'It was made with another secret or from another body. Compare the secret of the destination, and sign the bytes as they were received, before any JSON parser.';
}

function sign(key: string | Buffer, text: string | Buffer): string {
  return createHmac('sha1', key).update(text).digest('hex');
}
