import type { Clock } from '../core/clock.ts';
import { newSecret, type RandomBytes, sameSecret } from './secrets.ts';

const LIFETIME = 60 * 60 * 1000;

/** The page that reads the secret. It stands behind `#`, so no server and no log sees it. */
const PAGE = '/sign-in#link=';

/** A secret that signs in as admin once, within an hour. Kept in memory only: it ends with the process. */
export class OneTimeLink {
  readonly #clock: Clock;
  readonly #random: RandomBytes;
  #expiresAt = 0;
  #secret: string | null = null;
  #isUsed = false;

  constructor(clock: Clock, random: RandomBytes) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Makes a new secret and answers the path of its sign-in page. An earlier secret becomes invalid. Before the first call there is none. */
  make(): string {
    this.#expiresAt = this.#clock.now() + LIFETIME;
    this.#secret = newSecret(this.#random);
    this.#isUsed = false;
    return PAGE + this.#secret;
  }

  /** Whether this is the current secret and unused. Marks it as used. */
  use(secret: string): boolean {
    if (this.#secret === null || this.#isUsed || this.#clock.now() >= this.#expiresAt) return false;
    if (!sameSecret(secret, this.#secret)) return false;
    this.#isUsed = true;
    return true;
  }

  /** Makes a secret that opened nothing valid again, unless another was made meanwhile. */
  giveBack(secret: string): void {
    if (this.#secret === secret) this.#isUsed = false;
  }
}
