import { useMemo } from 'react';
import { ApiProblem } from '../api/problem.ts';
import { capitalized } from '../format/capitalized.ts';
import type { Gap } from './written.ts';

const ROOT = 'definition';

/**
 * What is to be said at which place of a definition: what the service refused, and the gaps. What is merely blank is told
 * once the user has tried to save.
 */
export function useProblems(
  gaps: readonly Gap[],
  { withBlanks, refusals }: { readonly withBlanks: boolean; readonly refusals: readonly unknown[] },
): ReadonlyMap<string, string> {
  // A new map for each time that it says something else, so that what shows it need not look again.
  const text = JSON.stringify([...ofGaps(gaps, withBlanks), ...refusals.flatMap(ofRefusal)]);
  return useMemo(() => new Map(JSON.parse(text) as [string, string][]), [text]);
}

/** Is a refusal's message about the definition. */
export function isAboutDefinition(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}.`);
}

function ofGaps(gaps: readonly Gap[], withBlanks: boolean): [string, string][] {
  return gaps.filter(({ isBlank }) => withBlanks || !isBlank).map(({ path, message }) => [path, message]);
}

function ofRefusal(refusal: unknown): [string, string][] {
  if (!(refusal instanceof ApiProblem)) return [];
  return refusal.errors
    .filter(({ path }) => isAboutDefinition(path))
    .map(({ path, message }) => [path.slice(ROOT.length + 1), capitalized(message)]);
}
