import { createContext, type ReactElement, useContext } from 'react';
import classes from './words.module.css';

/** What every field of a definition's editor knows. */
export interface Fields {
  /** What is wrong, by the place it is wrong at: `all.0.event.name`; the empty place is the definition itself. */
  readonly problems: ReadonlyMap<string, string>;
  /** The places that have a field, which tells what is wrong there. */
  readonly fields: ReadonlySet<string>;
  /** Id of the audience that is edited: it can't ask about itself; null for a new one. */
  readonly edited: string | null;
}

export const FieldsContext = createContext<Fields>({ problems: new Map(), fields: new Set(), edited: null });

/** Of an input at that place: what says that it is wrong, and where that is told. */
export function useMarked(path: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  const { problems } = useContext(FieldsContext);
  return path !== '' && problems.has(path) ? { 'aria-invalid': true, 'aria-describedby': problemId(path) } : {};
}

/** Of the element that tells the message. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}

/** What is wrong at a field, beneath it. */
export function FieldProblem({ path }: { readonly path: string }): ReactElement | null {
  const { problems, fields } = useContext(FieldsContext);
  const problem = fields.has(path) ? problems.get(path) : undefined;
  if (problem === undefined) return null;
  return (
    <span className={classes['problem']} id={problemId(path)}>
      {problem}
    </span>
  );
}
