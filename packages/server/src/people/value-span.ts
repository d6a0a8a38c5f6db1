import { readInstant } from '../core/instant.ts';
import { compilePasses, type Test } from '../core/value-test.ts';
import { ALWAYS, type Span } from './span.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** When a value passes a test; null for never. `undefined` stands for no value. */
export type ValueSpan = (value: unknown) => Span | null;

/** Only `withinDays` depends on the time: every other test holds always or never. */
export function compileTest(test: Test): ValueSpan {
  if ('withinDays' in test) {
    const length = test.withinDays * DAY_MS;
    return (value) => {
      const from = readInstant(value);
      return Number.isNaN(from) ? null : { from, until: from + length };
    };
  }
  const passes = compilePasses(test);
  return (value) => (passes(value) ? ALWAYS : null);
}

/** The test that holds exactly where this one does not; undefined for a test that needs a value. */
export function deniedTest(test: Test): Test | undefined {
  if ('not' in test) return { equals: test.not };
  return 'exists' in test && !test.exists ? { exists: true } : undefined;
}
