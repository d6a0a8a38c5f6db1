import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import pLimit from 'p-limit';
import { Fault } from '../core/fault.ts';
import type { RandomBytes } from './secrets.ts';

/** Argon2id as OWASP recommends: 19 MiB, two passes, one lane. */
const MEMORY = 19_456;
const PASSES = 2;
const LANES = 1;
const SALT_BYTES = 16;
const TAG_BYTES = 32;

/** The most calls that wait. Further calls are refused. */
const MAX_WAITING = 20;

const derive = promisify(argon2);

/** Hashes and checks passwords. One at a time: each takes 19 MiB, and threads that deliveries need for DNS lookups. */
export class Passwords {
  readonly #random: RandomBytes;
  /** Checked in place of the missing hash if the e-mail address is unknown. No password fits it. */
  readonly #nobody: string;
  readonly #inTurn = pLimit(1);

  constructor(random: RandomBytes) {
    this.#random = random;
    this.#nobody = phc(random(SALT_BYTES), random(TAG_BYTES));
  }

  /** A PHC string: `$argon2id$v=19$m=19456,t=2,p=1$SALT$HASH`. @throws Fault `rate_limited` if too many calls wait. */
  async hash(password: string): Promise<string> {
    const nonce = this.#random(SALT_BYTES);
    return phc(nonce, await this.#derive({ ...COST, message: bytesOf(password), nonce, tagLength: TAG_BYTES }));
  }

  /**
   * Whether the password fits the hash. Pass null for an account that does not exist: it takes the same time.
   *
   * @throws Fault `rate_limited` if too many calls wait.
   */
  async fits(password: string, hash: string | null): Promise<boolean> {
    const { parameters, tag } = parse(hash ?? this.#nobody);
    const derived = await this.#derive({ ...parameters, message: bytesOf(password), tagLength: tag.byteLength });
    return timingSafeEqual(derived, tag) && hash !== null;
  }

  async #derive(parameters: Argon2Parameters): Promise<Buffer> {
    if (this.#inTurn.activeCount + this.#inTurn.pendingCount >= MAX_WAITING) {
      throw new Fault('rate_limited', 'Too many people are signing in at once; try again', { retryAfter: 5 });
    }
    return this.#inTurn(() => derive('argon2id', parameters));
  }
}

const COST = { memory: MEMORY, passes: PASSES, parallelism: LANES };

/** Normalized: keyboards compose the same letters in different ways. */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize('NFKC'), 'utf8');
}

function phc(salt: Buffer, tag: Buffer): string {
  return `$argon2id$v=19$m=${MEMORY},t=${PASSES},p=${LANES}$${unpadded(salt)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

interface Parsed {
  readonly parameters: Pick<Argon2Parameters, 'memory' | 'passes' | 'parallelism' | 'nonce'>;
  readonly tag: Buffer;
}

/** Reads the parameters from the hash: an older version may have used others. */
function parse(hash: string): Parsed {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(hash);
  if (!parts) throw new Error('A stored password hash cannot be read');
  const [, memory, passes, parallelism, salt = '', tag = ''] = parts;
  return {
    parameters: {
      memory: Number(memory),
      passes: Number(passes),
      parallelism: Number(parallelism),
      nonce: Buffer.from(salt, 'base64'),
    },
    tag: Buffer.from(tag, 'base64'),
  };
}
