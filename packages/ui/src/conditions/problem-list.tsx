import { Text } from '@mantine/core';
import { type ReactElement, useContext } from 'react';
import { FieldsContext, problemId } from './fields-context.ts';

interface ProblemListProps {
  readonly path: string;
  /** Paths below this one are left out, because they show their own errors: `all.0.all`. */
  readonly but?: string;
  /** Names the path of each error, if nothing else shows it. */
  readonly withPlaces?: boolean;
}

/** The errors of a part of a definition that belong to none of its fields. A script may focus each. */
export function ProblemList({ path, but, withPlaces = false }: ProblemListProps): ReactElement | null {
  const { fields } = useContext(FieldsContext);
  const own = useOwnProblems(path, but).filter(([at]) => !fields.has(at));
  if (own.length === 0) return null;
  return (
    <Text component="ul" size="xs" c="var(--millrace-bad)" flex="1 0 100%">
      {own.map(([at, message]) => (
        <li key={at} id={problemId(at)} tabIndex={-1} data-problem>
          {withPlaces && at !== '' && <code>{at}: </code>}
          {message}
        </li>
      ))}
    </Text>
  );
}

/** The errors at a path and below it, except those below `but`; each with its path. */
export function useOwnProblems(path: string, but?: string): readonly (readonly [string, string])[] {
  const { problems } = useContext(FieldsContext);
  const isBelow = (at: string, place: string): boolean => place === '' || at.startsWith(`${place}.`);
  return [...problems].filter(([at]) => (at === path || isBelow(at, path)) && (but === undefined || !isBelow(at, but)));
}
