import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Checked, checked, list, text } from '../core/definition-form.ts';
import {
  DEFAULT_OPTIONS,
  type DeliveryOptions,
  type OptionName,
  optionsAfter,
  optionsOf,
  type Policy,
  type Redacts,
} from '../core/destination.ts';
import { formatDuration, parseDuration } from '../core/duration.ts';
import { checkCallFilter } from '../deliver/call-filter.ts';
import { checkRedactions } from '../deliver/redaction.ts';
import { ruleErrors } from './alert-input.ts';
import type { FieldError } from './contract.ts';
import { durationErrors } from './input.ts';

type FirstOption = 'trackFilter' | 'maxEventAgeHours';
type Stored = Pick<DeliveryOptions, FirstOption> & Partial<DeliveryOptions> & Redacts;
type OptionsChange = Parameters<typeof optionsAfter<DeliveryOptions>>[1];

/**
 * The options to store after a change. Options with default values are left out, except the two that every version reads. The
 * first rule that hashes creates the key. The key then stays, so that earlier and later hashes can be joined.
 */
export function changedOptions(old: Partial<DeliveryOptions> & Redacts, change: OptionsChange): Stored {
  const { trackFilter, maxEventAgeHours, ...others } = optionsAfter(optionsOf(old), change);
  const own = Object.entries(others).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(DEFAULT_OPTIONS, name)),
  );
  const hashes = others.redact.some((rule) => rule.do === 'hash');
  const redactKey = old.redactKey ?? (hashes ? randomBytes(KEY_BYTES).toString('base64url') : undefined);
  const key = redactKey === undefined ? {} : { redactKey };
  return { trackFilter, maxEventAgeHours, ...Object.fromEntries(own), ...key };
}

/**
 * Checks what a schema can't in a request's options.
 *
 * @param retention how long events are kept, milliseconds.
 */
export function optionErrors(asked: OptionsChange, retention: number): FieldError[] {
  const { policy, orderHold, filter = null, redact, consent, alerts } = asked;
  return [
    ...policyErrors(policy ?? {}, retention),
    ...durationErrors('orderHold', orderHold, '1s', LONGEST_WINDOW),
    ...(filter !== null ? flawsOf('filter', checkCallFilter(filter)) : []),
    ...(redact?.length ? flawsOf('redact', checkRedactions(redact)) : []),
    ...(consent?.length ? flawsOf('consent', checked(consent, CONSENT)) : []),
    ...ruleErrors('alerts', alerts),
  ];
}

/** Bytes of a key for HMAC-SHA256. */
const KEY_BYTES = 32;

const CONSENT = list(20, text(100));

function flawsOf(name: OptionName, found: Checked<unknown>): FieldError[] {
  const errors = 'errors' in found ? found.errors : [];
  return errors.map(({ path, message }) => ({ path: path === '' ? name : `${name}.${path}`, message }));
}

const TIMEOUTS = { least: '1s', most: '30s' } as const;
const SHORTEST_WINDOW = '1m';
const LONGEST_WINDOW = '7d';

function policyErrors(policy: Policy, retention: number): FieldError[] {
  const { permanentStatuses = [], temporaryStatuses = [] } = policy;
  return [
    ...durationErrors('policy.timeout', policy.timeout, TIMEOUTS.least, TIMEOUTS.most),
    ...windowErrors('policy.retryWindow', policy.retryWindow, retention),
    ...permanentStatuses.flatMap((status, i) =>
      temporaryStatuses.includes(status)
        ? [{ path: `policy.permanentStatuses.${i}`, message: `${status} is in temporaryStatuses too` }]
        : [],
    ),
  ];
}

/** The errors of a retry window. */
export function windowErrors(path: string, text: string | undefined, retention: number): FieldError[] {
  const longest = Math.min(retention, parseDuration(LONGEST_WINDOW) ?? 0);
  if (typeof text === 'string' && longest < (parseDuration(SHORTEST_WINDOW) ?? 0))
    return [
      { path, message: `can't be set where events are kept for less than ${SHORTEST_WINDOW} (MILLRACE_RETENTION)` },
    ];
  return durationErrors(path, text, SHORTEST_WINDOW, formatDuration(longest));
}
