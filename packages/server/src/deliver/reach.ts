import type { Destination } from '../core/destination.ts';
import { isLoopbackHost } from '../core/loopback.ts';
import { AddressNotAllowed, checkAddress, hostOf, readUrl } from './address.ts';

export interface ReachOptions {
  /** Every address may be sent to. */
  readonly allowPrivate: boolean;
  /** Whether the service itself is bound to this machine's loopback: only then may it be allowed to send there. */
  readonly isLocal: boolean;
  /** Whether an admin ever allowed it: then destinations of this machine wait for it. */
  readonly wasAllowed?: boolean;
}

/** Which addresses requests may go to (contract 6): public ones; this machine's own until the process ends; or all. */
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

  /** Whether an admin may allow this machine's loopback, or has. */
  get canAllowLoopback(): boolean {
    return this.#isLocal && !this.allowsAll;
  }

  /** Until the process ends. Answers false where it may not be allowed. */
  allowLoopback(): boolean {
    this.#allowsLoopback ||= this.canAllowLoopback;
    return this.#allowsLoopback;
  }

  /** Why no connection may go to an address of a host; null where it may. */
  refusal(host: string, address: string): AddressNotAllowed | null {
    if (this.allowsAll) return null;
    const kind = checkAddress(address);
    if (kind === null || (this.#allowsLoopback && kind === 'loopback')) return null;
    return new AddressNotAllowed(host, address, kind);
  }

  /** Whether a destination of this machine waits until its address is allowed again: nothing of it fails meanwhile. */
  holds({ enabled, webhooks }: Pick<Destination, 'enabled' | 'webhooks'>): boolean {
    const waits = this.#wasAllowed && this.canAllowLoopback && !this.#allowsLoopback;
    return enabled && waits && webhooks.some(({ url }) => isLoopback(url));
  }
}

function isLoopback(text: string): boolean {
  const url = readUrl(text);
  return !('code' in url) && isLoopbackHost(hostOf(url));
}
