import { type ReactElement, useContext } from 'react';
import { FieldsContext, problemId } from './fields-context.ts';
import classes from './words.module.css';

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
