import { Autocomplete } from '@mantine/core';
import type { ReactElement } from 'react';
import { IN_MAIN } from '../components/in-main.ts';
import { useMarked } from './fields-context.ts';
import classes from './words.module.css';

interface WordInputProps {
  /** What is typed, for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Where the service sees it. */
  readonly path: string;
  readonly placeholder?: string;
  /** To choose among, none while they are not known; anything else may be typed as well. */
  readonly proposals?: readonly string[];
  readonly isNumber?: boolean;
}

/** A name or a value in a sentence, as wide as what is typed. */
export function WordInput(props: WordInputProps): ReactElement {
  const { label, value, onChange, path, placeholder = '', proposals, isNumber = false } = props;
  const marked = useMarked(path);
  const shared = {
    'aria-label': label,
    value,
    placeholder,
    autoComplete: 'off',
    spellCheck: false,
    ...marked,
  };
  return (
    <span className={classes['word']} data-kind="value" data-words={value || placeholder}>
      {proposals ? (
        <Autocomplete
          variant="unstyled"
          classNames={{ input: classes['input'] ?? '' }}
          data={[...proposals]}
          limit={20}
          onChange={onChange}
          error={marked['aria-invalid'] ?? false}
          withErrorStyles={false}
          comboboxProps={{ ...IN_MAIN, width: 260, position: 'bottom-start' }}
          {...shared}
        />
      ) : (
        <input
          className={classes['input']}
          {...(isNumber && { inputMode: 'decimal' as const })}
          onChange={(event) => onChange(event.currentTarget.value)}
          {...shared}
        />
      )}
    </span>
  );
}
