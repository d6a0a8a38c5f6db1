export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The part of vitest's JSON report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * Counts the tests of a report. A file that failed outside of its tests counts as one failed test, and so does a run that
 * failed (`exitCode`) though no test did: the counts never look better than the run was.
 */
export function countTests(report: unknown, exitCode: number): Counts {
  const files = isReport(report) ? report.testResults : [];
  const count = (...states: string[]): number =>
    files.flatMap((file) => file.assertionResults).filter((test) => states.includes(test.status)).length;
  const broken = files.filter((file) => file.status === 'failed' && !file.assertionResults.some(hasFailed)).length;
  const failed = count('failed') + broken;
  return {
    passed: count('passed'),
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: count('skipped', 'pending', 'todo', 'disabled'),
  };
}

export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function hasFailed(test: { readonly status: string }): boolean {
  return test.status === 'failed';
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);
}
