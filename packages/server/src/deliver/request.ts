import type { SenderOptions } from './sender.ts';
import { signer } from './signature.ts';

/** What every request carries (specification, "Endpoints"). */
const FIXED_HEADERS = ['Content-Type', 'application/json', 'User-Agent', 'Millrace/1.0'] as const;

/** The headers of a request with this body, as they are sent, but for what HTTP itself adds (Host, Content-Length…). */
export function requestHeaders(options: SenderOptions, body: Uint8Array): Readonly<Record<string, string>> {
  const flat = headersFor(options)(body);
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

/**
 * Headers as a flat list of names and values. The list is one and the same on every call, with the signature of the
 * latest body, so it has to be used before the next call.
 */
export function headersFor({ webhook, sharedSecret }: SenderOptions): (body: Uint8Array) => string[] {
  const flat: string[] = [...FIXED_HEADERS, ...Object.entries(webhook.headers).flat()];
  if (sharedSecret === null) return () => flat;
  const sign = signer(sharedSecret);
  const place = flat.push('X-Signature', '') - 1;
  return (body) => {
    flat[place] = sign(body);
    return flat;
  };
}
