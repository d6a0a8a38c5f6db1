import type { Clock } from '../core/clock.ts';
import { newSecret, type RandomBytes, sameSecret } from './secrets.ts';

const LIFETIME = 60 * 60 * 1000;

/** Where the web interface takes the secret: behind `#`, so that no server and no log sees it. */
const PAGE = '/sign-in#link=';

/** A secret that signs in as admin once, within an hour. In memory alone: it ends with the process. */
export class OneTimeLink {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  #expiresAt = 0;
  #secret: string | null = null;

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Path of the page that takes a new secret. One that was made before is void; until one is made there is none. */
  make(): string {
    this.#expiresAt = this.#clock.now() + LIFETIME;
    this.#secret = newSecret(this.#random);
    return PAGE + this.#secret;
  }

  /** Whether this is the secret, and unused; from then on it is used. */
  use(secret: string): boolean {
    if (this.#secret === null || this.#clock.now() >= this.#expiresAt) return false;
    if (!sameSecret(secret, this.#secret)) return false;
    this.#secret = null;
    return true;
  }
}
