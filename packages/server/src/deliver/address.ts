import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { hostOf } from '../core/loopback.ts';

/** Longest URL that can be saved, characters. */
export const MAX_URL_LENGTH = 2048;

export interface UrlProblem {
  readonly code: 'invalid_input' | 'address_not_allowed';
  readonly message: string;
}

/** Why no request may go to an address of a host; null where one may. */
export type Refusal = (host: string, address: string) => AddressNotAllowed | null;

/** The addresses of a name. Rejects when the name does not resolve. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** An address that no request may go to (contract 6). */
export class AddressNotAllowed extends Error {
  override readonly name = 'AddressNotAllowed';
  readonly code = 'address_not_allowed';

  constructor(host: string, address: string, kind: string) {
    const subject = host === address ? address : `${host} resolves to ${address}, which`;
    super(`${subject} is not a public address (${kind}). MILLRACE_ALLOW_PRIVATE_URLS=true allows it.`);
  }
}

/**
 * Why no request may go to an IP address: the kind of address it is (`loopback`, `private`…), or null for a public one.
 * Only global unicast passes: what wraps an IPv4 address (mapped, NAT64, 6to4, Teredo) is unwrapped or refused.
 */
export function checkAddress(ip: string): string | null {
  if (!ipaddr.isValid(ip)) return 'not an IP address';
  const address = ipaddr.process(ip);
  const range = address.range();
  if (range !== 'unicast') return WORDS[range] ?? range;
  // ipaddr.js takes any unassigned block for unicast, among them ::/96, the old form of IPv4 inside IPv6.
  if (address.kind() === 'ipv6' && !address.match(GLOBAL_UNICAST)) return 'outside global unicast';
  if (METADATA.has(address.toString())) return 'cloud metadata';
  return null;
}

export interface UrlChecks {
  /** Why no request may go to an address of a host; null where one may. */
  readonly refusal: Refusal;
  /** False judges the URL by its text alone. Default true. */
  readonly lookUp?: boolean | undefined;
  readonly resolve?: Resolve;
}

/**
 * Why a URL can't be saved, or null. A name that does not resolve passes: every answer of a name server is checked again when a
 * connection is opened, and so is the peer's address.
 */
export async function checkUrl(
  text: string,
  { refusal, lookUp = true, resolve = resolveByName }: UrlChecks,
): Promise<UrlProblem | null> {
  const url = readUrl(text);
  if ('code' in url) return url;
  return checkHost(hostOf(url), refusal, lookUp ? resolve : null);
}

/**
 * The URL, wherever it leads; or what is wrong with its text. White space around it is dropped. What a URL parser would repair
 * silently (`http:/host`, a line break inside) is refused: most likely it is not the URL that was meant.
 */
export function readUrl(text: string): URL | UrlProblem {
  if (text.length > MAX_URL_LENGTH) return invalid(`A URL has at most ${MAX_URL_LENGTH} characters.`);
  const written = text.trim();
  if (/\p{Cc}/u.test(written)) return invalid('A URL has no line break, tab or other control character in it.');
  const url = URL.parse(written);
  if (url === null) return invalid('This is not a URL. It is written whole: https://example.com/webhook.');
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || !/^\w+:\/\/[^/\\]/.test(written)) return invalid('The URL begins with http:// or https:// and a host.');
  if (url.username !== '' || url.password !== '') {
    return invalid('A URL holds no user name or password; an Authorization header can carry them.');
  }
  if (url.hash !== '' || text.includes('#'))
    return invalid('A URL has no fragment (#…): it is never sent to a server.');
  if (url.href.length > MAX_URL_LENGTH)
    return invalid(`Written with % for its other characters, this URL has more than ${MAX_URL_LENGTH} characters.`);
  if (url.port === '0') return invalid('Port 0 is not a port that can be connected to.');
  return url;
}

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** An address of the public range that serves the machine's cloud (Azure's wire server). Those of other clouds are link-local. */
const METADATA = new Set(['168.63.129.16']);

const WORDS: Readonly<Record<string, string>> = {
  linkLocal: 'link-local',
  carrierGradeNat: 'carrier-grade NAT',
  uniqueLocal: 'unique local',
  rfc6052: 'NAT64',
  rfc6145: 'NAT64',
  teredo: 'Teredo',
  reserved: 'reserved or documentation',
  deprecatedSiteLocal: 'site-local',
};

async function checkHost(host: string, refusal: Refusal, resolve: Resolve | null): Promise<UrlProblem | null> {
  const isName = isIP(host) === 0;
  if (isName && resolve === null) return null;
  for (const address of isName && resolve ? await answers(host, resolve) : [host]) {
    const refused = refusal(host, address);
    if (refused !== null) return { code: 'address_not_allowed', message: refused.message };
  }
  return null;
}

async function answers(host: string, resolve: Resolve): Promise<readonly string[]> {
  try {
    return await resolve(host);
  } catch {
    // Not an error here: a name may be given its address after the URL is saved.
    return [];
  }
}

async function resolveByName(hostname: string): Promise<readonly string[]> {
  return (await lookup(hostname, { all: true })).map(({ address }) => address);
}

function invalid(message: string): UrlProblem {
  return { code: 'invalid_input', message };
}
