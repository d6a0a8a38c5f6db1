import type { Integrations, Message } from './calls.ts';
import { type Check, type Checks, checked, isObject } from './checks.ts';
import type { MillraceError } from './error.ts';

/** The second argument of fetch. */
export interface FetchInit {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  redirect: 'manual';
  signal: AbortSignal;
  /** Only in browsers. */
  keepalive?: boolean;
}

/** The part of fetch that the client uses. */
export type Fetch = (
  url: string,
  init: FetchInit,
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** `console`, or an object with the same methods. */
export interface Logger {
  debug(line: string): void;
  warn(line: string): void;
}

export interface Options {
  /** URL of the service; its path is kept. Default `http://127.0.0.1:8080`, where `npm start` listens. */
  readonly endpoint?: string | URL;
  /** Number of queued messages that starts sending; 1 sends each one alone. Default 20. More than `maxQueue` counts as `maxQueue`. */
  readonly flushAt?: number;
  /** Another name of `flushAt`; the last one given wins. */
  readonly size?: number;
  /** Milliseconds since the last flush after which sending starts. Default 5,000. */
  readonly flushAfter?: number;
  /** Most messages that may wait. Default 10,000. */
  readonly maxQueue?: number;
  /** What a call does when the queue is full: drop the oldest message and report it (default), or throw. */
  readonly onOverflow?: 'drop-oldest' | 'reject';
  /** Attempts to send a batch before it is given up. Default 10. */
  readonly maxAttempts?: number;
  /** Longest time of one attempt, answer included, in milliseconds. Default 10,000. */
  readonly timeout?: number;
  /** Added to the context of every call; the call's own values win. */
  readonly context?: object;
  /** Added to the integrations of every call; the call's own values win. */
  readonly integrations?: Integrations;
  /** Called once for each message that was delivered. */
  readonly onDelivered?: (message: Message) => unknown;
  /** Called once for each message that will not be delivered. Without it a line goes to the logger. */
  readonly onError?: (error: MillraceError, message: Message) => unknown;
  /** Must end when `signal` aborts: an attempt lasts until then. Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** Gets every line, debug lines included. Default: the console, with warnings only, or with all lines if debugging is on. */
  readonly logger?: Logger;
}

/** Checked options, with defaults filled in. */
export interface Settings extends Pick<Options, 'onOverflow' | 'onDelivered' | 'onError'> {
  /** URL to which batches are posted. */
  readonly url: string;
  readonly writeKey: string;
  readonly flushAt: number;
  readonly flushAfter: number;
  readonly maxQueue: number;
  readonly maxAttempts: number;
  readonly timeout: number;
  readonly context: object | undefined;
  readonly integrations: Integrations | undefined;
  readonly fetch: Fetch;
  /** Null if no one reads debug lines, so that none is built. */
  readonly debug: ((line: string) => void) | null;
  /** Leaves out a line that is the same as the one before. */
  readonly warn: (line: string) => void;
}

/**
 * Checks the options and fills in defaults. `debug`: the user switched debugging on in the runtime.
 *
 * @throws MillraceError `invalid_option`, naming the option.
 */
export function settingsOf(writeKey: string, options: Options, debug: boolean): Settings {
  const given = checked({ writeKey: writeKey ?? '', ...options }, CHECKS, 'invalid_option', 'Option');
  const {
    endpoint = 'http://127.0.0.1:8080',
    logger,
    ...rest
  } = { ...DEFAULTS, ...given } as typeof DEFAULTS & Options;
  // If both `size` and `flushAt` are given, the last one wins.
  for (const name in given) if (name === 'size' || name === 'flushAt') rest.flushAt = given[name] as number;
  const out = logger ?? console;
  let last = '';
  return {
    ...(rest as Omit<Settings, 'url'>),
    url: `${String(endpoint).replace(/\/+$/, '')}/v1/batch`,
    flushAt: Math.min(rest.flushAt, rest.maxQueue),
    debug: logger || debug ? (line) => out.debug(`millrace: ${line}`) : null,
    warn(line) {
      if (line !== last) out.warn(`millrace: ${line}`);
      last = line;
    },
  };
}

export const DEFAULTS: Pick<Settings, 'flushAt' | 'flushAfter' | 'maxQueue' | 'maxAttempts' | 'timeout' | 'fetch'> = {
  flushAt: 20,
  flushAfter: 5_000,
  maxQueue: 10_000,
  maxAttempts: 10,
  timeout: 10_000,
  fetch: (url, init) => fetch(url, init),
};

/**
 * Checks the option `within` of a client's end: a number of milliseconds. Returns Infinity if it is undefined or null.
 *
 * @throws MillraceError `invalid_option`.
 */
export function withinOf(within: unknown): number {
  const given = checked({ within }, { within: isTime }, 'invalid_option', 'Option');
  return (given['within'] as number | undefined) ?? Number.POSITIVE_INFINITY;
}

const isTime: Check = (value) =>
  !(typeof value === 'number' && value >= 0) && ' must be a number of milliseconds, 0 or more';

/** The longest delay of a timer, in milliseconds; also the largest integer that `| 0` leaves unchanged. */
export const LONGEST = 0x7fffffff;

const isWhole: Check = (value) =>
  (value !== ((value as number) | 0) || value < 1) && ` must be an integer from 1 to ${LONGEST}`;

const isFunction: Check = (value) => typeof value !== 'function' && ' must be a function';

const CHECKS: Checks = {
  // The user name of Basic can't hold a colon, and a header can't hold other characters.
  writeKey: (value) => !(typeof value === 'string' && /^[!-9;-~]+$/.test(value)) && ' must be a write key',
  // Other libraries want the path `/v1/batch` in the endpoint. This client adds it itself.
  endpoint: (value) =>
    !(URL.canParse(value as string) && /^https?:\/\/(?!.*\/v1\/batch)[^\s?#@]+$/i.test(value as string)) &&
    ' must be an http(s) URL without query or /v1/batch',
  flushAt: isWhole,
  size: isWhole,
  flushAfter: isWhole,
  maxQueue: isWhole,
  onOverflow: (value) => value !== 'reject' && value !== 'drop-oldest' && " must be 'reject' or 'drop-oldest'",
  maxAttempts: isWhole,
  timeout: isWhole,
  context: isObject,
  integrations: isObject,
  onDelivered: isFunction,
  onError: isFunction,
  fetch: isFunction,
  logger: (value) => {
    const { debug, warn } = value as Partial<Logger>;
    return (isFunction(debug) || isFunction(warn)) && ' must have debug and warn';
  },
};
