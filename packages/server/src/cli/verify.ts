import { createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { signer, standardSigner } from '../deliver/signature.ts';
import { usageFailure } from './io.ts';

/** The result of a check. `by` names the header, the scheme and the secret that fitted. */
export type Verdict =
  | { readonly check: 'verified'; readonly by: string }
  | { readonly check: 'wrong' | 'missing' | 'old' | 'unchecked' };

/** A request whose time differs by more is refused, seconds: an attacker may have recorded it (Standard Webhooks). */
const TOLERANCE = 300;

type Try = (headers: IncomingHttpHeaders, body: Buffer) => 'missing' | 'wrong' | { readonly by: string };

/**
 * Makes a check of requests. A signature must fit one of the secrets: shared secrets, `whsec_` secrets of Standard Webhooks, or
 * `whpk_` public keys. Without secrets nothing is checked.
 */
export function verifier(secrets: readonly string[]): (headers: IncomingHttpHeaders, body: Buffer) => Verdict {
  const tries = secrets.map(tryOf);
  return (headers, body) => {
    const found = tries.map((one) => one(headers, body));
    const place = found.findIndex((one) => typeof one === 'object');
    const match = found[place];
    if (typeof match === 'object') {
      const isOld = match.by.startsWith('v1') && isStale(headers);
      const which = secrets.length > 1 ? `, secret ${place + 1}` : '';
      return isOld ? { check: 'old' } : { check: 'verified', by: `${match.by}${which}` };
    }
    if (tries.length === 0) return { check: 'unchecked' };
    return { check: found.includes('wrong') ? 'wrong' : 'missing' };
  };
}

function tryOf(secret: string): Try {
  if (secret.startsWith('whpk_')) return byStandard('v1a', ed25519Check(secret));
  const shared = byShared(secret);
  if (!secret.startsWith('whsec_')) return shared;
  const sign = standardSigner(secret);
  const standard = byStandard('v1', (value, before, body) => isEqual(value, sign(before, body)));
  return (headers, body) => {
    const found = standard(headers, body);
    // A shared secret may look like a `whsec_` secret, so check X-Signature too.
    return found === 'missing' ? shared(headers, body) : found;
  };
}

function byShared(secret: string): Try {
  const sign = signer(secret);
  return ({ 'x-signature': now, 'x-signature-previous': previous }, body) => {
    const expected = sign(body);
    if (typeof now === 'string' && isEqual(now, expected)) return { by: 'X-Signature' };
    if (typeof previous === 'string' && isEqual(previous, expected)) return { by: 'X-Signature-Previous' };
    return now === undefined ? 'missing' : 'wrong';
  };
}

function byStandard(scheme: string, check: (value: string, before: string, body: Buffer) => boolean): Try {
  return ({ 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }, body) => {
    const values = String(signature ?? '').split(' ');
    const own = values.filter((value) => value.startsWith(`${scheme},`));
    if (own.length === 0) return 'missing';
    return own.some((value) => check(value, `${id}.${timestamp}.`, body)) ? { by: scheme } : 'wrong';
  };
}

function ed25519Check(publicKey: string): (value: string, before: string, body: Buffer) => boolean {
  const bytes = Buffer.from(publicKey.slice('whpk_'.length), 'base64');
  if (bytes.length !== 32) throw usageFailure(`${publicKey} is no public key: whpk_ and base64 of 32 bytes`);
  const x = bytes.toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return (value, before, body) => {
    const signature = Buffer.from(value.slice('v1a,'.length), 'base64');
    return verify(null, Buffer.concat([Buffer.from(before), body]), key, signature);
  };
}

function isStale({ 'webhook-timestamp': timestamp }: IncomingHttpHeaders): boolean {
  return !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= TOLERANCE);
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
