import { Autocomplete } from '@mantine/core';
import { type ReactElement, type ReactNode, type Ref, useContext, useRef, useState } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { IN_MAIN } from '../components/in-main.ts';
import { localInput } from '../format/range.ts';
import { FieldsContext, problemId } from './fields-context.ts';
import { valueInWords } from './pieces.ts';
import { type SuggestedValue, useSuggested } from './use-suggested.ts';
import classes from './words.module.css';

interface WordProps<Value = string> {
  /** What is typed or chosen, for screen readers. */
  readonly label: string;
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  /** Where the service sees it. */
  readonly path: string;
}

interface WordInputProps extends WordProps {
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
  const shared = {
    'aria-label': label,
    value,
    placeholder,
    autoComplete: 'off',
    spellCheck: false,
    ...(isNumber && { inputMode: 'decimal' as const }),
    ...useMarked(path),
  };
  return (
    <Word kind="value" words={value || placeholder} path={path}>
      {seen === undefined ? (
        <input className={classes['input']} onChange={(event) => onChange(event.currentTarget.value)} {...shared} />
      ) : (
        <SuggestingInput {...props} seen={seen} shared={shared} />
      )}
    </Word>
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

interface WordSelectProps<Value extends string> extends Omit<WordProps<Value>, 'path'> {
  readonly choices: Readonly<Record<Value, string>>;
  readonly path?: string;
  readonly ref?: Ref<HTMLSelectElement>;
  /** A word that says more of the one beside it, and steps back. */
  readonly isAside?: boolean;
}

/** Words of a sentence that can be changed for others. */
export function WordSelect<Value extends string>(props: WordSelectProps<Value>): ReactElement {
  const { label, value, choices, onChange, path = '', ref, isAside = false } = props;
  const kind = isAside ? 'type' : 'choice';
  return (
    <Word kind={kind} words={choices[value]} path={path}>
      <select
        {...(ref && { ref })}
        className={classes['select']}
        data-kind={kind}
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
        {...useMarked(path)}
      >
        {Object.entries<string>(choices).map(([key, words]) => (
          <option key={key} value={key}>
            {words}
          </option>
        ))}
      </select>
    </Word>
  );
}

/** A moment (ISO 8601) in a sentence, in the viewer's zone; stays as it was written until it is changed. */
export function WordMoment({ label, value, onChange, path }: WordProps): ReactElement {
  const at = new Date(value);
  const change = (text: string): void => onChange(text === '' ? '' : new Date(text).toISOString());
  return (
    <Word kind="moment" words="" path={path}>
      <input
        type="datetime-local"
        aria-label={label}
        title={value}
        className={classes['input']}
        value={Number.isNaN(at.getTime()) ? '' : localInput(at)}
        onChange={(event) => change(event.currentTarget.value)}
        {...useMarked(path)}
      />
    </Word>
  );
}

interface WordFrameProps extends Pick<WordProps, 'path'> {
  readonly kind: 'value' | 'choice' | 'type' | 'moment';
  /** As wide as these it is. */
  readonly words: string;
  readonly children: ReactNode;
}

/** A field of a sentence, with what is wrong at it beneath. */
function Word({ kind, words, path, children }: WordFrameProps): ReactElement {
  const { problems, fields } = useContext(FieldsContext);
  const problem = fields.has(path) ? problems.get(path) : undefined;
  return (
    <span className={classes['word']} data-kind={kind} data-words={words}>
      {children}
      {problem !== undefined && (
        <span className={classes['problem']} id={problemId(path)}>
          {problem}
        </span>
      )}
    </span>
  );
}

/** Of an input at that place: what says that it is wrong, and where that is told. */
function useMarked(path: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  const { problems } = useContext(FieldsContext);
  return path !== '' && problems.has(path) ? { 'aria-invalid': true, 'aria-describedby': problemId(path) } : {};
}
