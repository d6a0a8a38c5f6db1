import type { ReactElement, Ref } from 'react';
import { FieldProblem, useMarked } from './fields-context.tsx';
import classes from './words.module.css';

interface WordSelectProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly choices: Readonly<Record<Value, string>>;
  readonly onChange: (value: Value) => void;
  /** Where the service sees it. */
  readonly path?: string;
  readonly ref?: Ref<HTMLSelectElement>;
  /** A word that says more of the one beside it, and steps back. */
  readonly isAside?: boolean;
}

/** Words of a sentence that can be changed for others. */
export function WordSelect<Value extends string>(props: WordSelectProps<Value>): ReactElement {
  const { label, value, choices, onChange, path = '', ref, isAside = false } = props;
  const marked = useMarked(path);
  const kind = isAside ? 'type' : 'choice';
  return (
    <span className={classes['word']} data-kind={kind} data-words={choices[value]}>
      <select
        {...(ref && { ref })}
        className={classes['select']}
        data-kind={kind}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
        {...marked}
      >
        {Object.entries<string>(choices).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
      <FieldProblem path={path} />
    </span>
  );
}
