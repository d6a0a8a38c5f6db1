import { upperFirst } from '@mantine/hooks';
import type { AuditEntry, FieldError, Problem } from '../../../server/src/admin/contract.ts';
import { duration } from '../format/number.ts';

/**
 * An API call that did not succeed. `code` is one of the stable codes of docs/http-api.md; `network` if no answer came;
 * `unreadable` if the answer is not from the service (a proxy's page).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Each wrong field of the input, with its path, and a message that begins like a sentence; empty if no field is wrong. */
  readonly errors: readonly FieldError[];
  /** With `changed_meanwhile`: the changes since the revision that was sent, newest first. */
  readonly changes: readonly AuditEntry[];
  /** Seconds to wait before another attempt; null if the answer names none. */
  readonly retryAfter: number | null;

  constructor(
    problem: Pick<Problem, 'code' | 'status' | 'detail' | 'errors' | 'changes'>,
    retryAfter: number | null = null,
  ) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.errors = (problem.errors ?? []).map((error) => ({ ...error, message: upperFirst(error.message) }));
    this.changes = problem.changes ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The problem behind a thrown value. A value that is not an ApiProblem is a fault of the page. */
export function problemFrom(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ code: 'page', status: 0, detail });
}

/** Whether the requested id does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'not_found';
}

/** What the person can do about it, as a sentence; null if the problem's own text says it. */
export function remedyFor({ code, status, retryAfter }: ApiProblem): string | null {
  if (retryAfter !== null) return `Try again in ${duration(retryAfter * 1_000)}.`;
  if (code === 'network') return 'Check that the service runs and is reachable, then try again.';
  if (code === 'unreadable') return 'Something between you and the service answered. Look at the proxy.';
  if (code === 'forbidden') return 'Ask an admin to do it, or to give you a role that may.';
  if (code === 'changed_meanwhile') return 'The page shows what is there now: do it again if you still want to.';
  if (code === 'not_found') return 'It may have been deleted, or is no longer kept.';
  if (code === 'page') return 'Load the page again. If it comes back, it is a fault of this page.';
  if (status >= 500) return "The service's log says more. Try again.";
  return null;
}
