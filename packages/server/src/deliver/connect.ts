import type { LookupAddress } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { AddressNotAllowed, Refusal } from './address.ts';
import { type LookupAll, lookupAll } from './look-up.ts';
import type { Reach } from './reach.ts';

export interface ConnectSettings {
  /** Which addresses connections may go to. */
  readonly reach: Pick<Reach, 'refusal'>;
  /** Resolves names; the system's resolver when left out. */
  readonly lookup?: LookupAll;
}

/** What undici asks a connector for. */
export interface Peer {
  readonly hostname: string;
  readonly protocol: string;
  readonly port: string;
}

/**
 * Called once: with an error, or with a socket that is connected and, for https, has a trusted certificate, and until when that may
 * be trusted, milliseconds since the epoch.
 */
export type Connected = (...result: [null, Socket, number] | [Error, null, null]) => void;

/** Answers the socket while it is still connecting; null when the address was refused at once. */
export type Connect = (peer: Peer, connected: Connected) => Socket | null;

/**
 * Opens the connections of one URL. Unless private addresses are allowed, an address is checked three times: as it is
 * written in the URL, in every answer of the name server, and as the socket's peer, each before a byte is sent
 * (contract 6). Certificates are always verified, before a byte of the request is sent (contract 3). A certificate is
 * trusted for an hour at most, and not beyond its end, by connections that stay open and by those that resume its TLS session: then
 * it is verified anew.
 *
 * @param certificate is told when the certificate of each connection ends, milliseconds since the epoch; also of one that has ended.
 */
export function createConnect(
  settings: ConnectSettings,
  certificate: (endsAt: number) => void = () => undefined,
): Connect {
  const check: Refusal = (host, address) => settings.reach.refusal(host, address);
  const lookup = guardedLookup(settings.lookup ?? lookupAll, check);
  let session: Buffer | undefined;
  let trustedUntil = 0;
  return ({ hostname, protocol, port }, connected) => {
    const refused = isIP(hostname) === 0 ? null : check(hostname, hostname);
    if (refused !== null) {
      queueMicrotask(() => connected(refused, null, null));
      return null;
    }
    const secure = protocol === 'https:';
    let endsAt = Number.NaN;
    const options = {
      host: hostname,
      port: Number(port || (secure ? 443 : 80)),
      lookup,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
      autoSelectFamily: true,
      // Node gives up on an address when it tries the next one, and its default of 250 ms is less than a far-away peer takes.
      autoSelectFamilyAttemptTimeout: 1000,
    };
    const socket = secure
      ? connectTls({
          ...options,
          ...(isIP(hostname) === 0 && { servername: hostname }),
          ...(session !== undefined && Date.now() < trustedUntil && { session }),
          ALPNProtocols: ['http/1.1'],
          // Said, because NODE_TLS_REJECT_UNAUTHORIZED would else decide.
          rejectUnauthorized: true,
        })
          .on('session', (fresh) => {
            session = fresh;
          })
          // Before Node judges it: one that is refused is gone at once.
          .prependOnceListener('secure', function (this: TLSSocket) {
            // What a resumed session says of the certificate is what the first one was told.
            if (!this.isSessionReused()) endsAt = Date.parse(this.getPeerCertificate().valid_to);
          })
          .once('secureConnect', () => {
            if (Number.isNaN(endsAt)) return;
            trustedUntil = Math.min(Date.now() + TRUSTED_MS, endsAt);
            certificate(endsAt);
          })
          .once('error', (error) => {
            if (Reflect.get(error, 'code') === 'CERT_HAS_EXPIRED' && !Number.isNaN(endsAt)) certificate(endsAt);
          })
      : connectTcp(options);
    // Before any other listener, so that not even a TLS greeting leaves for a peer that is refused.
    socket.prependOnceListener('connect', () => {
      const reason = socket.remoteAddress === undefined ? RESET : check(hostname, socket.remoteAddress);
      if (reason !== null) socket.destroy(reason);
    });
    settleOnce(socket, secure ? 'secureConnect' : 'connect', (error) => {
      if (error === null) connected(null, socket, secure ? trustedUntil : Number.POSITIVE_INFINITY);
      else connected(error, null, null);
    });
    return socket;
  };
}

/** The certificate of a peer is verified again after so long, milliseconds. */
const TRUSTED_MS = 3_600_000;

/** The peer has reset the connection before its address could be asked for. */
const RESET = Object.assign(new Error('The connection was reset as it was opened.'), { code: 'ECONNRESET' });

function settleOnce(socket: Socket, event: string, connected: (error: Error | null) => void): void {
  let settled = false;
  socket.once(event, () => {
    if (settled || socket.destroyed) return;
    settled = true;
    connected(null);
  });
  // Stays for the socket's life: a socket that fails again after its failure was told must not bring the process down.
  socket.on('error', (error) => {
    if (settled) return;
    settled = true;
    connected(error);
  });
}

/** Most addresses of a family that are tried. A name may have thousands, and each that refuses costs a socket and an error. */
const MOST_TRIED = 8;

function firstOfEachFamily(addresses: readonly LookupAddress[]): LookupAddress[] {
  return [...Map.groupBy(addresses, ({ family }) => family).values()].flatMap((all) => all.slice(0, MOST_TRIED));
}

/** Answers the addresses of a name if requests may go to each of them. */
function guardedLookup(lookup: LookupAll, check: Refusal): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      const problem = error ?? firstRefusal(hostname, addresses, check);
      callback(problem, problem === null ? firstOfEachFamily(addresses) : []);
    });
  };
}

function firstRefusal(host: string, addresses: readonly LookupAddress[], check: Refusal): AddressNotAllowed | null {
  for (const { address } of addresses) {
    const refused = check(host, address);
    if (refused !== null) return refused;
  }
  return null;
}
