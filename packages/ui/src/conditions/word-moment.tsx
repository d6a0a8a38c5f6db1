import type { ReactElement } from 'react';
import { localInput } from '../format/range.ts';
import { FieldProblem, useMarked } from './fields-context.tsx';
import classes from './words.module.css';

interface WordMomentProps {
  readonly label: string;
  /** ISO 8601; stays as it was written until it is changed. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly path: string;
}

/** A moment in a sentence, in the viewer's zone. */
export function WordMoment({ label, value, onChange, path }: WordMomentProps): ReactElement {
  const marked = useMarked(path);
  const at = new Date(value);
  const change = (text: string): void => onChange(text === '' ? '' : new Date(text).toISOString());
  return (
    <span className={classes['word']} data-kind="moment" data-words="">
      <input
        type="datetime-local"
        aria-label={label}
        title={value}
        className={classes['input']}
        value={Number.isNaN(at.getTime()) ? '' : localInput(at)}
        onChange={(event) => change(event.currentTarget.value)}
        {...marked}
      />
      <FieldProblem path={path} />
    </span>
  );
}
