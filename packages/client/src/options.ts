import type { Integrations, Message } from './calls.ts';
import { type Check, type Checks, checked, isObject } from './checks.ts';
import type { MillraceError } from './error.ts';

/** What fetch is called with. */
export interface FetchInit {
  method: 'POST';
  headers: Record<string, string>;
  body: string;
  redirect: 'manual';
  signal: AbortSignal;
  /** Only in browsers. */
  keepalive?: boolean;
}

/** As much of fetch as the client uses. */
export type Fetch = (
  url: string,
  init: FetchInit,
) => Promise<{
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** `console`, or anything like it. */
export interface Logger {
  debug(line: string): void;
  warn(line: string): void;
}

export interface Options {
  /** Where the service is; a path is kept. Default `http://127.0.0.1:8080`, where `npm start` listens. */
  readonly endpoint?: string | URL;
  /** Send when this many messages are queued; 1 sends each alone. Default 20; at most `maxQueue` counts. */
  readonly flushAt?: number;
  /** Another name of `flushAt`; the last one given wins. */
  readonly size?: number;
  /** Send when this many milliseconds have passed since the last flush. Default 5,000. */
  readonly flushAfter?: number;
  /** Messages that may wait. Default 10,000. */
  readonly maxQueue?: number;
  /** What a call does when the queue is full: push out the oldest message, which is reported, or throw. */
  readonly onOverflow?: 'drop-oldest' | 'reject';
  /** Times a batch is sent before it is given up. Default 10. */
  readonly maxAttempts?: number;
  /** Milliseconds an attempt may take, answer included. Default 10,000. */
  readonly timeout?: number;
  /** Lies under the context of every call. */
  readonly context?: object;
  /** Lies under the integrations of every call. */
  readonly integrations?: Integrations;
  /** Called once for each message that was delivered. */
  readonly onDelivered?: (message: Message) => unknown;
  /** Called once for each message that will not be delivered. Without it a line goes to the logger. */
  readonly onError?: (error: MillraceError, message: Message) => unknown;
  /** Default: the runtime's own. */
  readonly fetch?: Fetch;
  /** Gets every line, debugging included. Default: the console gets the warnings; with debugging on, all. */
  readonly logger?: Logger;
}

/** Options with nothing left open. */
export interface Settings extends Pick<Options, 'onDelivered' | 'onError'> {
  /** Where batches are posted. */
  readonly url: string;
  readonly writeKey: string;
  readonly flushAt: number;
  readonly flushAfter: number;
  readonly maxQueue: number;
  readonly onOverflow: 'drop-oldest' | 'reject';
  readonly maxAttempts: number;
  readonly timeout: number;
  readonly context: object | undefined;
  readonly integrations: Integrations | undefined;
  readonly fetch: Fetch;
  /** Null while no logger is given, so that no line is made in vain. */
  readonly debug: ((line: string) => void) | null;
  /** Leaves out a line that is the same as the one before. */
  readonly warn: (line: string) => void;
}

/**
 * `debug`: the user asked the runtime for debugging.
 *
 * @throws MillraceError `invalid_option`, naming the option.
 */
export function settingsOf(writeKey: string, options: Options, debug: boolean): Settings {
  const given = checked({ writeKey: writeKey ?? '', ...options }, CHECKS, 'invalid_option', 'Option');
  const { endpoint, logger, ...rest } = { ...DEFAULTS, ...given } as typeof DEFAULTS & Options;
  // Of an option and its other name, the last one given wins.
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

export const DEFAULTS: Pick<
  Settings,
  'flushAt' | 'flushAfter' | 'maxQueue' | 'onOverflow' | 'maxAttempts' | 'timeout' | 'fetch'
> & { readonly endpoint: string } = {
  endpoint: 'http://127.0.0.1:8080',
  flushAt: 20,
  flushAfter: 5_000,
  maxQueue: 10_000,
  onOverflow: 'drop-oldest',
  maxAttempts: 10,
  timeout: 10_000,
  fetch: (url, init) => fetch(url, init),
};

/** What timers can count to, in milliseconds: what the operators on bits keep whole, too. */
const LONGEST = 0x7fffffff;

const isWhole: Check = (value) =>
  (value !== ((value as number) | 0) || value < 1) && ` must be an integer from 1 to ${LONGEST}`;

const isFunction: Check = (value) => typeof value !== 'function' && ' must be a function';

const CHECKS: Checks = {
  // A Basic user name has no colon, and a header no other characters.
  writeKey: (value) => !(typeof value === 'string' && /^[!-9;-~]+$/.test(value)) && ' must be a write key',
  // Other libraries want the path of the batches in it; here it would be there twice.
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
