import type { Destination } from '../core/destination.ts';
import { hostOf, isLoopbackHost } from '../core/loopback.ts';
import { AddressNotAllowed, checkAddress, readUrl } from './address.ts';

export interface ReachOptions {
  /** Whether requests may go to every address. */
  readonly allowPrivate: boolean;
  /** Whether the service listens on loopback only. Only then may an admin allow requests to loopback. */
  readonly isLocal: boolean;
  /** Whether an admin has ever allowed loopback: then destinations on this machine wait until it is allowed again. */
  readonly wasAllowed?: boolean;
}

/**
 * The addresses that requests may go to (contract 6): public ones; this machine's loopback, where an admin allows it until the
 * process ends; or all.
 */
export class Reach {
  readonly allowsAll: boolean;
  readonly #isLocal: boolean;
  readonly #wasAllowed: boolean;
  #allowsLoopback = false;

  constructor({ allowPrivate, isLocal, wasAllowed = false }: ReachOptions) {
    this.allowsAll = allowPrivate;
    this.#isLocal = isLocal;
    this.#wasAllowed = wasAllowed;
  }

  get allowsLoopback(): boolean {
    return this.allowsAll || this.#allowsLoopback;
  }

  /** Whether an admin may allow loopback, or has done so. */
  get canAllowLoopback(): boolean {
    return this.#isLocal && !this.allowsAll;
  }

  /** Allows loopback until the process ends. Answers false where that is not possible. */
  allowLoopback(): boolean {
    this.#allowsLoopback ||= this.canAllowLoopback;
    return this.#allowsLoopback;
  }

  /** Why no connection may go to an address of a host; null where one may. */
  refusal(host: string, address: string): AddressNotAllowed | null {
    if (this.allowsAll) return null;
    const kind = checkAddress(address);
    if (kind === null || (this.#allowsLoopback && kind === 'loopback')) return null;
    return new AddressNotAllowed(host, address, kind);
  }

  /** Whether a destination on this machine waits until loopback is allowed again. Its messages do not fail meanwhile. */
  holds({ enabled, webhooks }: Pick<Destination, 'enabled' | 'webhooks'>): boolean {
    const waits = this.#wasAllowed && this.canAllowLoopback && !this.#allowsLoopback;
    return enabled && waits && webhooks.some(({ url }) => isLoopback(url));
  }
}

function isLoopback(text: string): boolean {
  const url = readUrl(text);
  return !('code' in url) && isLoopbackHost(hostOf(url));
}
