import type { AuditEntry, FieldError, Problem } from '../../../server/src/admin/contract.ts';
import { duration } from '../format/number.ts';

/**
 * A call of the API that did not succeed. `code` is one of the stable codes of docs/http-api.md, or `network` when no
 * answer came and `unreadable` when the answer was none of ours (a proxy's page).
 */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly code: string;
  /** HTTP status; 0 when no answer came. */
  readonly status: number;
  /** Each wrong field of an input, by its path; empty where no field is to blame. */
  readonly errors: readonly FieldError[];
  /** Of `changed_meanwhile`: what was changed since, newest first. */
  readonly changes: readonly AuditEntry[];
  /** Seconds to wait before trying again; null where the answer names none. */
  readonly retryAfter: number | null;

  constructor(
    problem: Pick<Problem, 'code' | 'status' | 'detail' | 'errors' | 'changes'>,
    retryAfter: number | null = null,
  ) {
    super(problem.detail);
    this.code = problem.code;
    this.status = problem.status;
    this.errors = problem.errors ?? [];
    this.changes = problem.changes ?? [];
    this.retryAfter = retryAfter;
  }
}

/** The problem behind what was thrown; what is no problem of the API is a fault of the page. */
export function problemFrom(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ code: 'page', status: 0, detail });
}

/** Is there nothing with the id that was asked for. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiProblem && error.code === 'not_found';
}

/** What the person can do about it, as a sentence; null where the problem's own words say it. */
export function remedyFor({ code, status, retryAfter }: ApiProblem): string | null {
  if (retryAfter !== null) return `Try again in ${duration(retryAfter * 1_000)}.`;
  if (code === 'network') return 'Check that the service runs and that you can reach it, then try again.';
  if (code === 'unreadable') return 'Something between you and the service answered. Look at the proxy.';
  if (code === 'forbidden') return 'Ask an admin to do it, or to make you one.';
  if (code === 'changed_meanwhile')
    return 'The page shows what is there now. Look at it, then do it again if you still want to.';
  if (code === 'not_found') return 'It may have been deleted, or kept for less long than you thought.';
  if (code === 'page') return 'Load the page again. If it comes back, it is a fault of this page.';
  if (status >= 500) return "The service's log says more. Try again.";
  return null;
}
