import { describe, expect, test } from 'vitest';
import type { Test } from '../core/value-test.ts';
import { compileTest, deniedTest } from './value-span.ts';

const LATER = '2026-11-21T12:00:00.000Z';

/** By test: values that pass, and values that don't. Undefined is no value at all. */
const TABLE: readonly (readonly [Test, passing: readonly unknown[], failing: readonly unknown[]])[] = [
  [{ equals: 1 }, [1], ['1', true, 1.5, [1], null, undefined]],
  [{ equals: '1' }, ['1'], [1, '1 ', ['1']]],
  [{ equals: null }, [null], [undefined, 0, '', false]],
  [{ not: 'a' }, ['A', 1, null, undefined, ['a']], ['a']],
  [{ contains: 'Ähre' }, ['Ähre', 'kornÄHREn', ['b', 'äHRE']], ['Ahre', ['Ähren'], { a: 'Ähre' }, 1, undefined]],
  [{ contains: 'ΚΩΣ' }, ['ΚΩΣΤΑΣ', 'κως', ['Κως']], ['ΚΩ']],
  [{ contains: '1' }, ['21'], [1, [1]]],
  [{ in: ['a', 1, null] }, ['a', 1, null], ['A', '1', undefined, ['a']]],
  [{ greater: 2 }, [2.5, 1e300], [2, '3', null, undefined, true, [3]]],
  [{ atLeast: 2 }, [2, 3], [1.9, '2']],
  [{ less: 2 }, [1.9, -3], [2, '1', null, undefined]],
  [{ atMost: 2 }, [2, -1], [2.1, false]],
  [{ exists: true }, [0, '', false, [], {}], [null, undefined]],
  [{ exists: false }, [null, undefined], [0, '', false]],
  [
    { before: LATER },
    ['2026-11-21T11:59:59.999Z', '2026-11-21', 0, '2026-11-21T12:30:00+01:00'],
    [LATER, '2026-11-22', 'yesterday', null, undefined, true],
  ],
  [{ after: LATER }, ['2026-11-21T12:00:00.001Z', 1_900_000_000_000], [LATER, '2026-11-21', 'tomorrow', {}, undefined]],
];

describe.each(TABLE)('%j', (is, passing, failing) => {
  test.each(passing.map((value) => [value]))('holds always for %j', (value) => {
    expect(compileTest(is)(value)).toEqual({ from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY });
  });

  test.each(failing.map((value) => [value]))('holds never for %j', (value) => {
    expect(compileTest(is)(value)).toBeNull();
  });
});

test.each(TABLE.filter(([is]) => 'not' in is || ('exists' in is && !is.exists)))(
  '%j is denied by the test that holds for all others',
  (is, passing, failing) => {
    const denied = deniedTest(is) as Test;
    for (const value of failing) expect(compileTest(denied)(value)).not.toBeNull();
    for (const value of passing) expect(compileTest(denied)(value)).toBeNull();
  },
);

test.each(TABLE.filter(([is]) => !('not' in is || ('exists' in is && !is.exists))))(
  '%j holds for some, and none denies it',
  (is) => {
    expect(deniedTest(is)).toBeUndefined();
  },
);

test('withinDays holds from the time on, for as many days', () => {
  const recent = compileTest({ withinDays: 2 });
  const at = Date.parse(LATER);
  expect(recent(LATER)).toEqual({ from: at, until: at + 2 * 86_400_000 });
  expect(recent(at)).toEqual(recent(LATER));
  expect(recent('soon')).toBeNull();
});
