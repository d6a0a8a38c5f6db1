import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import type { Target } from '../core/destination.ts';
import { hostOf } from '../core/loopback.ts';
import { shortened } from '../core/shortened.ts';
import { readUrl } from './address.ts';
import { type Certificate, certificateFound, connectionRefused, nameUnknown, tlsRefused, urlFound } from './advice.ts';
import { classifyError } from './classify.ts';
import { type ConnectSettings, createConnect } from './connect.ts';
import { checkHeaders } from './headers.ts';
import { lookupAll } from './look-up.ts';

/** One step on the way to an endpoint: the URL and its headers can be saved, its address is known, it can be reached, its certificate is trusted. */
export interface InspectStep {
  readonly name: 'url' | 'headers' | 'address' | 'connect' | 'tls';
  readonly ok: boolean;
  /** How long it took, milliseconds. */
  readonly ms: number;
  /** What was found, or what is wrong and how to fix it. */
  readonly message: string;
  /** The wrong field: `url`, `headers.X-Team`; null where no field is wrong. */
  readonly field: string | null;
}

export interface InspectSettings extends ConnectSettings {
  readonly clock: Clock;
  /** Milliseconds that each step may take. */
  readonly timeout: number;
}

/**
 * The steps in order, up to the first that fails. Never throws, and sends no byte of a request.
 *
 * @param connects false: only names are looked up, and no connection is opened. Default true.
 */
export type Inspect = (webhook: Target, connects?: boolean) => Promise<readonly InspectStep[]>;

/**
 * Checks a URL step by step as delivery would use it: with the same guard, the same connector and the same trusted authorities.
 * It opens one connection; how far that comes tells which step failed.
 */
export function createInspect(settings: InspectSettings): Inspect {
  return async (webhook, connects = true) => {
    const url = readUrl(webhook.url);
    if ('code' in url) return [{ name: 'url', ok: false, ms: 0, message: url.message, field: 'url' }];
    const steps: InspectStep[] = [{ name: 'url', ...good(0, urlFound(url)) }];
    for (const next of [inspectHeaders, inspectAddress, ...(connects ? [inspectConnection] : [])]) {
      steps.push(...(await next({ webhook, url, host: hostOf(url) }, settings)));
      if (steps.at(-1)?.ok === false) break;
    }
    return steps;
  };
}

interface Inspected {
  readonly webhook: Target;
  readonly url: URL;
  /** The host as it is looked up: an IPv6 address has no brackets. */
  readonly host: string;
}

type Found = Omit<InspectStep, 'name'>;

async function inspectHeaders({ webhook }: Inspected): Promise<readonly InspectStep[]> {
  const problems = checkHeaders(webhook.headers);
  const [first] = problems;
  const count = Object.keys(webhook.headers).length;
  if (first === undefined) {
    const message = count === 0 ? 'No static headers.' : `${count} static ${count === 1 ? 'header' : 'headers'}.`;
    return [{ name: 'headers', ...good(0, message) }];
  }
  const message = problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' ');
  const field = first.path === '' ? 'headers' : `headers.${first.path}`;
  return [{ name: 'headers', ok: false, ms: 0, message, field }];
}

async function inspectAddress({ host }: Inspected, settings: InspectSettings): Promise<readonly InspectStep[]> {
  const began = settings.clock.now();
  const name = 'address';
  const looked = isIP(host) === 0 ? await resolve(host, settings) : [host];
  const ms = settings.clock.now() - began;
  if (looked instanceof Error) return [{ name, ...bad(ms, nameUnknown(host, classifyError(looked))) }];
  const refused = looked.map((address) => settings.reach.refusal(host, address)).find((each) => each);
  if (refused) return [{ name, ...bad(ms, refused.message) }];
  return [{ name, ...good(ms, isIP(host) === 0 ? `${host} is at ${looked.join(', ')}.` : `${host} can be used.`) }];
}

/** The addresses of a name, or why there are none. */
function resolve(host: string, { clock, timeout, lookup = lookupAll }: InspectSettings): Promise<string[] | Error> {
  return new Promise((answer) => {
    const cancel = clock.after(timeout, () => answer(tooSlow(timeout)));
    lookup(host, { all: true }, (error, addresses) => {
      cancel();
      answer(error ?? addresses.map(({ address }) => address));
    });
  });
}

/** The TCP connection, and for https the TLS above it. */
async function inspectConnection(target: Inspected, settings: InspectSettings): Promise<readonly InspectStep[]> {
  const { url, host } = target;
  const secure = url.protocol === 'https:';
  const where = `${host} port ${url.port || (secure ? 443 : 80)}`;
  const { begunAt, openAt, endAt, error, certificate } = await connect(target, settings);
  const reason = error && classifyError(error);
  if (openAt === null) {
    const message = reason ? connectionRefused(where, reason) : `No connection to ${where}.`;
    return [{ name: 'connect', ...bad(endAt - begunAt, message) }];
  }
  const connected: InspectStep = { name: 'connect', ...good(openAt - begunAt, `Connected to ${where}.`) };
  const ms = endAt - openAt;
  if (reason) {
    // Before TLS began, TLS can have refused nothing: the guard refused the peer's address.
    const isTls = secure && reason.error !== 'address_not_allowed';
    if (!isTls) return [{ name: 'connect', ...bad(endAt - begunAt, connectionRefused(where, reason)) }];
    return [connected, { name: 'tls', ...bad(ms, tlsRefused(host, reason, certificate)) }];
  }
  if (!secure) return [connected];
  return [connected, { name: 'tls', ...good(ms, certificateFound(certificate, settings.clock.now())) }];
}

interface Connected {
  readonly begunAt: number;
  /** When TCP was connected; null where it was not. */
  readonly openAt: number | null;
  readonly endAt: number;
  readonly error: Error | null;
  /** The server's certificate, trusted or not; null where the connection ended before it was shown. */
  readonly certificate: Certificate | null;
}

function connect({ url, host }: Inspected, settings: InspectSettings): Promise<Connected> {
  const { clock, timeout } = settings;
  const begunAt = clock.now();
  let openAt: number | null = null;
  let certificate: Certificate | null = null;
  return new Promise((resolve) => {
    const peer = { hostname: host, protocol: url.protocol, port: url.port };
    const socket = createConnect(settings)(peer, (...[error, open]) => {
      cancel();
      open?.destroy();
      resolve({ begunAt, openAt, endAt: clock.now(), error, certificate });
    });
    const giveUp = (): void => void socket?.destroy(tooSlow(timeout));
    let cancel = clock.after(timeout, giveUp);
    // Registered first: for http the same event ends the check.
    socket?.prependOnceListener('connect', () => {
      openAt = clock.now();
      cancel();
      cancel = clock.after(timeout, giveUp);
    });
    if (socket instanceof TLSSocket) {
      // Before Node judges the certificate: where it refuses it, the socket and the certificate are gone at once.
      socket.prependOnceListener('secure', () => {
        certificate = socket.getPeerCertificate();
      });
    }
  });
}

function tooSlow(timeout: number): Error {
  return Object.assign(new Error(`${timeout} ms`), { code: 'ETIMEDOUT' });
}

function good(ms: number, message: string): Found {
  return { ok: true, ms, message: shortened(message), field: null };
}

function bad(ms: number, message: string): Found {
  return { ok: false, ms, message: shortened(message), field: 'url' };
}
