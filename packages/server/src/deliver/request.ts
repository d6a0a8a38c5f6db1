import { isForbidden } from './headers.ts';
import type { Outgoing, SenderOptions, SourceTypeOf } from './sender.ts';
import { signer } from './signature.ts';

/** What every request carries (contract 3). */
const FIXED_HEADERS = ['Content-Type', 'application/json', 'User-Agent', 'Millrace/1.0'] as const;

/** The headers of a request with this message, as they are sent, but for what HTTP itself adds (Host, Content-Length…). */
export function requestHeaders(
  options: SenderOptions,
  message: Outgoing,
  sourceTypeOf: SourceTypeOf,
): Readonly<Record<string, string>> {
  const flat = headersFor(options, sourceTypeOf)(message);
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

/**
 * Headers as a flat list of names and values. The list is one and the same on every call, with the source and the signature
 * of the latest message, so it has to be used before the next call. A static header that can't be set any more is left out.
 */
export function headersFor(
  { webhook, sharedSecret }: SenderOptions,
  sourceTypeOf: SourceTypeOf,
): (message: Outgoing) => string[] {
  const own = Object.entries(webhook.headers).filter(([name]) => !isForbidden(name));
  const flat: string[] = [...FIXED_HEADERS, ...own.flat()];
  const source = flat.push('X-Millrace-Source', '') - 1;
  const sourceType = flat.push('X-Millrace-Source-Type', '') - 1;
  const sign = sharedSecret === null ? null : signer(sharedSecret);
  const signature = sign === null ? 0 : flat.push('X-Signature', '') - 1;
  return ({ body, sourceId }) => {
    flat[source] = sourceId;
    flat[sourceType] = sourceTypeOf(sourceId);
    if (sign !== null) flat[signature] = sign(body);
    return flat;
  };
}
