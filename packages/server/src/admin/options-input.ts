import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_OPTIONS, type DeliveryOptions, optionsAfter, optionsOf, type Policy } from '../core/destination.ts';
import { formatDuration, parseDuration } from '../core/duration.ts';
import type { FieldError } from './contract.ts';

type FirstOption = 'trackFilter' | 'maxEventAgeHours';
type Stored = Pick<DeliveryOptions, FirstOption> & Partial<DeliveryOptions>;
type OptionsChange = Parameters<typeof optionsAfter<DeliveryOptions>>[1];

/** The options as they are stored after a change: those that are the default are left out, but for the two that each version reads. */
export function changedOptions(old: Partial<DeliveryOptions>, change: OptionsChange): Stored {
  const { trackFilter, maxEventAgeHours, ...others } = optionsAfter(optionsOf(old), change);
  const own = Object.entries(others).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(DEFAULT_OPTIONS, name)),
  );
  return { trackFilter, maxEventAgeHours, ...Object.fromEntries(own) };
}

const TIMEOUTS = { least: '1s', most: '30s' } as const;
const SHORTEST_WINDOW = '1m';
const LONGEST_WINDOW = '7d';

/** What a schema can't say about the options. `retention` is how long events are kept, milliseconds. */
export function optionErrors({ policy, orderHold }: OptionsChange, retention: number): FieldError[] {
  return [...policyErrors(policy ?? {}, retention), ...durationErrors('orderHold', orderHold, '1s', LONGEST_WINDOW)];
}

function policyErrors(policy: Policy, retention: number): FieldError[] {
  const { permanentStatuses = [], temporaryStatuses = [] } = policy;
  const longest = formatDuration(Math.min(retention, msOf(LONGEST_WINDOW)));
  return [
    ...durationErrors('policy.timeout', policy.timeout, TIMEOUTS.least, TIMEOUTS.most),
    ...durationErrors('policy.retryWindow', policy.retryWindow, SHORTEST_WINDOW, longest),
    ...permanentStatuses.flatMap((status, i) =>
      temporaryStatuses.includes(status)
        ? [{ path: `policy.permanentStatuses.${i}`, message: `${status} is in temporaryStatuses too` }]
        : [],
    ),
  ];
}

function durationErrors(path: string, text: string | null | undefined, least: string, most: string): FieldError[] {
  const ms = text ? (parseDuration(text) ?? Number.NaN) : msOf(least);
  if (ms >= msOf(least) && ms <= msOf(most)) return [];
  return [{ path, message: `must be a duration from ${least} to ${most}, like ${most}` }];
}

function msOf(duration: string): number {
  return parseDuration(duration) ?? 0;
}
