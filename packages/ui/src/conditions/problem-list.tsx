import { type ReactElement, useContext } from 'react';
import classes from './builder.module.css';
import { FieldsContext, problemId } from './fields-context.ts';

interface ProblemListProps {
  readonly path: string;
  /** Where parts begin that tell their own: `all.0.all`. */
  readonly but?: string;
  /** Names each place, where nothing else shows it. */
  readonly withPlaces?: boolean;
}

/** What is wrong in a part of a definition and at none of its fields, beneath it. A script may put the focus on each. */
export function ProblemList({ path, but, withPlaces = false }: ProblemListProps): ReactElement | null {
  const { fields } = useContext(FieldsContext);
  const own = useOwnProblems(path, but).filter(([at]) => !fields.has(at));
  if (own.length === 0) return null;
  return (
    <ul className={classes['problems']}>
      {own.map(([at, message]) => (
        <li key={at} id={problemId(at)} tabIndex={-1} data-problem>
          {withPlaces && at !== '' && <code>{at}: </code>}
          {message}
        </li>
      ))}
    </ul>
  );
}

/** Each with its place, at a place and below it. */
export function useOwnProblems(path: string, but?: string): readonly (readonly [string, string])[] {
  const { problems } = useContext(FieldsContext);
  const isBelow = (at: string, place: string): boolean => place === '' || at.startsWith(`${place}.`);
  return [...problems].filter(([at]) => (at === path || isBelow(at, path)) && (but === undefined || !isBelow(at, but)));
}
