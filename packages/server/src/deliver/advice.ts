import type { PeerCertificate } from 'node:tls';
import { PRIVATE_AUTHORITY } from '../core/certificate.ts';
import { COLLECTION_PATHS } from '../core/collection-path.ts';
import type { Outcome } from '../core/delivery.ts';
import type { SendError } from './classify.ts';

/** What went wrong on the way to an endpoint, and how to fix it, in words for the person who set the endpoint up. Pure. */

/** What is read of a certificate that a server shows. */
export type Certificate = Pick<PeerCertificate, 'subject' | 'issuer' | 'valid_from' | 'valid_to' | 'subjectaltname'>;

/** A URL that can be called. It warns where the URL leads back to the collection API. */
export function urlFound({ origin, pathname }: URL): string {
  const words = `${origin} can be called.`;
  if (!COLLECTION_PATHS.has(pathname.replace(/\/+$/, ''))) return words;
  return `${words} This looks like the address of a collection API, to which programs send calls. Give the URL that takes the messages.`;
}

/** A name that has no address, or whose name servers give no answer. */
export function nameUnknown(host: string, { error, detail }: SendError): string {
  if (error === 'timeout') return `No name server answered for ${host} in time. Try again. (${detail})`;
  if (detail.includes('EAI_AGAIN')) {
    return `No name server gave an answer for ${host}. Check the name servers of this machine and those of the name. (${detail})`;
  }
  return `${host} has no address. Check the spelling; a name that is new can take a while to be known. (${detail})`;
}

/** A connection that could not be opened. `where` names host and port. */
export function connectionRefused(where: string, { error, detail }: SendError): string {
  switch (error) {
    case 'connection_refused':
      return `Nothing listens at ${where}. Check the port, and that the receiver runs.`;
    case 'timeout':
      return `${where} does not answer. Check the port, and that no firewall drops packets from this machine. (${detail})`;
    case 'network_unreachable':
      return `This machine has no route to ${where}. Check its network. (${detail})`;
    default:
      return `No connection to ${where}. ${detail}`;
  }
}

/** A secure connection that could not be opened. */
export function tlsRefused(host: string, { error, detail }: SendError, certificate: Certificate | null): string {
  const name = nameOf(certificate?.subject);
  switch (error) {
    case 'certificate_self_signed':
      return `The certificate of ${host} (${name}) is self-signed: no authority vouches for it. Install one of a known authority, such as Let's Encrypt; ${PRIVATE_AUTHORITY}.`;
    case 'certificate_expired':
      return `The certificate of ${host} (${name}) expired on ${dayOf(certificate?.valid_to)}. Renew it.`;
    case 'certificate_not_yet_valid':
      return `The certificate of ${host} (${name}) is valid from ${dayOf(certificate?.valid_from)} on. Check the clocks of both machines.`;
    case 'certificate_wrong_host':
      return `The certificate is for ${hostsOf(certificate)}, not for ${host}. Use a name it is for in the URL, or install one for ${host}.`;
    case 'certificate_untrusted':
      return `The certificate of ${host} (${name}) is from ${nameOf(certificate?.issuer)}, which is no known authority, or the server leaves out an intermediate certificate, or the certificate is not fit for this, such as one with a weak key. Install the whole chain. (${detail})`;
    case 'timeout':
      return `${host} did not agree on a secure connection in time. Does this port speak https? (${detail})`;
    default:
      return `No secure connection to ${host}. If this port speaks plain http, begin the URL with http://. (${detail})`;
  }
}

/** A certificate that is trusted. */
export function certificateFound(certificate: Certificate | null, now: number): string {
  const left = Math.floor((Date.parse(certificate?.valid_to ?? '') - now) / DAY);
  const words = `Certificate of ${nameOf(certificate?.subject)}, from ${nameOf(certificate?.issuer)}, valid until ${dayOf(certificate?.valid_to)}`;
  return left < SOON ? `${words}: only ${left} ${left === 1 ? 'day' : 'days'} more.` : `${words}.`;
}

/** How an endpoint took a test message. */
export function messageAnswered({
  class: outcome,
  status,
  detail,
}: Pick<Outcome, 'class' | 'status' | 'detail'>): string {
  if (status === null) return `No answer. ${detail ?? ''}`.trim();
  if (outcome === 'success') return `Answered ${status}.`;
  const next = outcome === 'temporary' ? 'be tried again later' : 'fail and not be tried again';
  return `Answered ${status}. ${adviceFor(status)} A delivery would ${next}.`;
}

const DAY = 86_400_000;

/** A certificate that ends in fewer days is reported with a warning. */
const SOON = 14;

/** What to do about a status that is no success. */
export function adviceFor(status: number): string {
  if (status === 304) return 'The endpoint answers as a cache does: look at what stands before it.';
  if (status >= 300 && status < 400) return 'Redirects are not followed: use the URL that this one leads to.';
  if (status === 401 || status === 403)
    return 'The endpoint refuses the credentials. Correct the header that carries them, such as Authorization, and compare the shared secret on both sides.';
  if (status === 408)
    return 'The endpoint did not read the message in time: look at what stands before it, and at its load.';
  if (status === 425)
    return 'The endpoint does not take early requests yet: nothing to do where a later attempt is taken.';
  if (status === 410) return 'The endpoint says that it is gone for good. Pause this URL, or remove it.';
  if (status === 404) return 'There is nothing at this path: check the path of the URL.';
  if (status === 405) return 'The endpoint does not accept POST at this path: check the path of the URL.';
  if (status === 413) return 'The message is too large for the endpoint: let it accept bodies of at least 64 KiB.';
  if (status === 415) return 'The endpoint does not accept JSON: let it accept application/json.';
  if (status === 429) return 'The endpoint limits its rate: raise the limit, or wait.';
  if (status >= 500) return 'The endpoint failed: read its log.';
  return 'The endpoint refuses the message: read its answer.';
}

/** The name that people know a certificate's holder by: its common name, else its organisation. */
function nameOf(holder: Certificate['subject'] | undefined): string {
  const [name] = [holder?.CN ?? holder?.O ?? 'no name'].flat();
  return String(name);
}

function dayOf(time: string | undefined): string {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? 'an unknown day' : new Date(at).toISOString().slice(0, 10);
}

function hostsOf(certificate: Certificate | null): string {
  const names = certificate?.subjectaltname?.replaceAll(/(DNS|IP Address):/g, '');
  return names || nameOf(certificate?.subject);
}
