import type { FormerSecret } from '../core/destination.ts';
import { isForbidden } from './headers.ts';
import type { Outgoing, SenderOptions, SourceTypeOf } from './sender.ts';
import { ed25519Signer, type StandardSigner, signer, standardSigner, webhookId } from './signature.ts';

/** What every request carries (contract 3). */
const FIXED_HEADERS = ['Content-Type', 'application/json', 'User-Agent', 'Millrace/1.0'] as const;

/** The headers of a request as they are sent, except those that HTTP itself adds (Host, Content-Length…). */
export function requestHeaders(
  options: SenderOptions,
  message: Outgoing,
  sourceTypeOf: SourceTypeOf,
): Readonly<Record<string, string>> {
  const flat = headersFor(options, sourceTypeOf)(message);
  const pairs = flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1] ?? '']] : []));
  return Object.fromEntries(pairs);
}

/** Headers as a flat list of names and values. A static header that can no longer be set is left out. */
export function headersFor(options: SenderOptions, sourceTypeOf: SourceTypeOf): (message: Outgoing) => string[] {
  const own = Object.entries(options.webhook.headers).filter(([name]) => !isForbidden(name));
  const fixed: readonly string[] = [...FIXED_HEADERS, ...own.flat()];
  const sign = signing(options);
  return (message) => {
    const { sourceId } = message;
    const flat = [...fixed, 'X-Millrace-Source', sourceId, 'X-Millrace-Source-Type', sourceTypeOf(sourceId)];
    if (message.position !== undefined) flat.push('X-Millrace-Position', String(message.position));
    for (const add of sign) add(flat, message, Date.now());
    return flat;
  };
}

type Sign = (flat: string[], message: Outgoing, now: number) => void;

/** Functions that add the signatures of each scheme: that of the secret, and until its end that of the former secret (contract 2). */
function signing({ sharedSecret, signatures = ['segment'], standardSecret, former = {} }: SenderOptions): Sign[] {
  const adding: Sign[] = [];
  if (signatures.includes('segment') && sharedSecret !== null) {
    const names = ['X-Signature', 'X-Signature-Previous'];
    const signers = living(sharedSecret, former.sharedSecret).map(({ secret, until }) => ({
      sign: signer(secret),
      until,
    }));
    adding.push((flat, { body }, now) => {
      for (const [i, { sign, until }] of signers.entries()) if (now < until) flat.push(names[i] ?? '', sign(body));
    });
  }
  if (standardSecret) {
    const signers = living(standardSecret, former.standardSecret).flatMap(({ secret, until }) => [
      ...(signatures.includes('standard') ? [{ sign: standardSigner(secret), until }] : []),
      ...(signatures.includes('standard-ed25519') ? [{ sign: ed25519Signer(secret), until }] : []),
    ]);
    if (signers.length > 0) adding.push((flat, message, now) => addStandard(flat, message, now, signers));
  }
  return adding;
}

function addStandard(
  flat: string[],
  message: Outgoing,
  now: number,
  signers: readonly { readonly sign: StandardSigner; readonly until: number }[],
): void {
  const id = webhookId(message);
  const timestamp = String(Math.floor(now / 1000));
  const values = signers
    .filter(({ until }) => now < until)
    .map(({ sign }) => sign(`${id}.${timestamp}.`, message.body));
  flat.push('webhook-id', id, 'webhook-timestamp', timestamp, 'webhook-signature', values.join(' '));
}

function living(
  secret: string,
  before: FormerSecret | undefined,
): { readonly secret: string; readonly until: number }[] {
  const own = { secret, until: Number.POSITIVE_INFINITY };
  return before ? [own, { secret: before.secret, until: Date.parse(before.until) }] : [own];
}
