import { expect, test } from 'vitest';
import { countsLine, countTests } from './counts.ts';

const file = (status: string, ...tests: string[]): unknown => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});

test.each([
  ['all well', [file('passed', 'passed', 'passed')], 0, '2 passed, 0 failed'],
  ['a failure', [file('failed', 'passed', 'failed'), file('passed', 'passed')], 1, '2 passed, 1 failed'],
  ['skipped and todo', [file('passed', 'passed', 'skipped', 'todo')], 0, '1 passed, 0 failed, 2 skipped'],
  ['a file that could not be read', [file('failed'), file('passed', 'passed')], 1, '1 passed, 1 failed'],
  ['a hook that failed after the tests', [file('failed', 'passed')], 1, '1 passed, 1 failed'],
  ['an error outside of every test', [file('passed', 'passed')], 1, '1 passed, 1 failed'],
  ['no test', [], 1, '0 passed, 1 failed'],
])('%s', (_, testResults, code, line) => {
  expect(countsLine(countTests({ testResults }, code))).toBe(line);
});

test('a run that left no report has failed', () => {
  expect(countTests(undefined, 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
