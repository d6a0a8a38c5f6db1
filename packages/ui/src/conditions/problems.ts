import type { ReactNode } from 'react';
import { problemFrom } from '../api/problem.ts';
import { isWithin } from '../forms/apply-problem.ts';
import type { Gap } from './written.ts';

interface Refused {
  /** Errors of the form, by path. */
  readonly errors: Readonly<Record<string, ReactNode>>;
  /** The refusal of another call about the same definition. */
  readonly refusal?: unknown;
}

/** The errors of a definition that is a field of a form, by path: its gaps, and what the service refused. */
export function problemsOf(
  field: string,
  gaps: readonly Gap[],
  { errors, refusal = null }: Refused,
): ReadonlyMap<string, string> {
  const refused = [
    ...problemFrom(refusal).errors.map(({ path, message }) => [path, message] as const),
    ...Object.entries(errors).map(([path, message]) => [path, String(message)] as const),
  ];
  return new Map([
    ...gaps.map(({ path, message }) => [path, message] as const),
    ...refused
      .filter(([path]) => isWithin(path, field))
      .map(([path, message]) => [path.slice(field.length + 1), message] as const),
  ]);
}
