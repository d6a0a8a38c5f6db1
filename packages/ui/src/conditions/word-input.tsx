import { Autocomplete } from '@mantine/core';
import { type ReactElement, useRef, useState } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { IN_MAIN } from '../components/in-main.ts';
import { FieldProblem, useMarked } from './fields-context.tsx';
import { valueInWords } from './pieces.ts';
import { type SuggestedValue, useSuggested } from './use-suggested.ts';
import classes from './words.module.css';

interface WordInputProps {
  /** What is typed, for screen readers. */
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Where the service sees it. */
  readonly path: string;
  readonly placeholder?: string;
  /** What was seen here is suggested; anything else may be typed as well. Null where nothing can be known. */
  readonly seen?: SuggestionsQuery | null;
  /** Of what was seen, what fits here; all of it unless given. */
  readonly fits?: (value: SuggestedValue) => boolean;
  /** A suggestion was chosen; it is text unless something else is made of it here. */
  readonly onPick?: (value: SuggestedValue) => void;
  readonly isNumber?: boolean;
}

/** A name or a value in a sentence, as wide as what is typed. */
export function WordInput(props: WordInputProps): ReactElement {
  const { label, value, onChange, path, placeholder = '', seen, isNumber = false } = props;
  const marked = useMarked(path);
  const shared = {
    'aria-label': label,
    value,
    placeholder,
    autoComplete: 'off',
    spellCheck: false,
    ...(isNumber && { inputMode: 'decimal' as const }),
    ...marked,
  };
  return (
    <span className={classes['word']} data-kind="value" data-words={value || placeholder}>
      {seen === undefined ? (
        <input className={classes['input']} onChange={(event) => onChange(event.currentTarget.value)} {...shared} />
      ) : (
        <SuggestingInput {...props} seen={seen} shared={shared} />
      )}
      <FieldProblem path={path} />
    </span>
  );
}

interface SuggestingInputProps extends WordInputProps {
  readonly seen: SuggestionsQuery | null;
  readonly shared: { readonly 'aria-label': string; readonly value: string };
}

/** The component's own attributes would take the place of what says where a problem is told; its types leave this one out. */
const OWN_ARIA: object = { withAria: false };

/** Asks for suggestions while it has the focus. */
function SuggestingInput({ value, onChange, onPick, seen, fits, shared }: SuggestingInputProps): ReactElement {
  const [isUsed, setUsed] = useState(false);
  const picked = useRef<SuggestedValue>(undefined);
  const suggested = useSuggested(isUsed ? seen : null, value);
  const items = suggested?.items.filter((item) => fits?.(item.value) ?? true) ?? [];
  // A text and a number may look alike: what is one of them is told apart by its JSON.
  const options = items.map((item) => ({ value: JSON.stringify(item.value), label: String(item.value) }));
  const often = new Map(items.map((item) => [JSON.stringify(item.value), item.often]));
  // The component says that an option was submitted, and then what its text is.
  const change = (text: string): void => {
    const chosen = picked.current;
    picked.current = undefined;
    if (chosen !== undefined && onPick) onPick(chosen);
    else onChange(text);
  };
  return (
    <Autocomplete
      variant="unstyled"
      classNames={{ input: classes['input'] ?? '' }}
      data={options.length === 0 ? [] : [{ group: suggested?.heading ?? '', items: options }]}
      limit={20}
      onFocus={() => setUsed(true)}
      onBlur={() => setUsed(false)}
      onOptionSubmit={(json) => {
        picked.current = JSON.parse(json) as SuggestedValue;
      }}
      onChange={change}
      renderOption={({ option }) => <Option option={option} often={often.get(option.value) ?? ''} />}
      {...OWN_ARIA}
      comboboxProps={{ ...IN_MAIN, width: 340, position: 'bottom-start' }}
      {...shared}
    />
  );
}

function Option({
  option,
  often,
}: {
  readonly option: { readonly value: string };
  readonly often: string;
}): ReactElement {
  return (
    <>
      <span className={classes['seen']}>{valueInWords(JSON.parse(option.value))}</span>{' '}
      <span className={classes['often']}>{often}</span>
    </>
  );
}
