import { readInstant } from '../core/instant.ts';
import type { Scalar, Test } from './definition.ts';
import { ALWAYS, type Span } from './span.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** When a value passes a test; null for never. `undefined` is no value at all. */
export type ValueSpan = (value: unknown) => Span | null;

/** Only `withinDays` looks at the clock: every other test holds always or never. */
export function compileTest(test: Test): ValueSpan {
  if ('withinDays' in test) {
    const length = test.withinDays * DAY_MS;
    return (value) => {
      const from = readInstant(value);
      return Number.isNaN(from) ? null : { from, until: from + length };
    };
  }
  const passes = compileTimeless(test);
  return (value) => (passes(value) ? ALWAYS : null);
}

export function isTimeless(test: Test): boolean {
  return !('withinDays' in test);
}

/** The test that holds exactly where this one doesn't; undefined for a test that asks for something to be there. */
export function deniedTest(test: Test): Test | undefined {
  if ('not' in test) return { equals: test.not };
  return 'exists' in test && !test.exists ? { exists: true } : undefined;
}

type Timeless = Exclude<Test, { readonly withinDays: number }>;

function compileTimeless(test: Timeless): (value: unknown) => boolean {
  if ('equals' in test) return (value) => value === test.equals;
  if ('not' in test) return (value) => value !== test.not;
  if ('contains' in test) return contains(test.contains);
  if ('in' in test) return isOneOf(test.in);
  if ('greater' in test) return number((value) => value > test.greater);
  if ('atLeast' in test) return number((value) => value >= test.atLeast);
  if ('less' in test) return number((value) => value < test.less);
  if ('atMost' in test) return number((value) => value <= test.atMost);
  if ('exists' in test) return (value) => (value !== undefined && value !== null) === test.exists;
  if ('before' in test) return moment(test.before, (at, edge) => at < edge);
  if ('after' in test) return moment(test.after, (at, edge) => at > edge);
  return test satisfies never;
}

function contains(part: string): (value: unknown) => boolean {
  const wanted = part.toLowerCase();
  return (value) => {
    if (typeof value === 'string') return value.toLowerCase().includes(wanted);
    return Array.isArray(value) && value.some((item) => typeof item === 'string' && item.toLowerCase() === wanted);
  };
}

function isOneOf(scalars: readonly Scalar[]): (value: unknown) => boolean {
  const set = new Set<unknown>(scalars);
  return (value) => set.has(value);
}

function number(passes: (value: number) => boolean): (value: unknown) => boolean {
  return (value) => typeof value === 'number' && passes(value);
}

/** A value that is no time gives NaN, which compares false with every edge. */
function moment(edge: string, passes: (at: number, edge: number) => boolean): (value: unknown) => boolean {
  const at = readInstant(edge);
  return (value) => passes(readInstant(value), at);
}
