import { Autocomplete } from '@mantine/core';
import { type ReactElement, type ReactNode, type Ref, useContext, useRef, useState } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { momentInput } from '../components/moment-input.ts';
import type { Typed } from './draft.ts';
import { FieldsContext, problemId, useField } from './fields-context.ts';
import { valueInWords } from './pieces.ts';
import { type SuggestedValue, useSuggested } from './use-suggested.ts';
import classes from './words.module.css';

interface WordProps {
  /** The name of the field, for screen readers. */
  readonly label: string;
  /** The field's path in the definition, as the API names it. */
  readonly path: string;
}

interface WordInputProps extends WordProps {
  readonly placeholder?: string;
  /** The query for suggestions; other values may be typed too. Null if there can be none. */
  readonly seen?: SuggestionsQuery | null;
  /** Selects the suggestions that fit. Default: all. */
  readonly fits?: (value: SuggestedValue) => boolean;
  /** Called with a chosen suggestion. Default: its text is put into the field. */
  readonly onPick?: (value: SuggestedValue) => void;
  readonly isNumber?: boolean;
  /** A part of the text at the path. Default: the whole text. */
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

/** A field for a name or a value in a sentence, as wide as its text. */
export function WordInput(props: WordInputProps): ReactElement {
  const { label, path, placeholder = '', seen, isNumber = false } = props;
  const [part, change] = useField<unknown>(path);
  const { value = textIn(part) } = props;
  const { onChange = (text) => change(typeof part === 'object' ? { ...part, text } : text) } = props;
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
        <SuggestingInput {...props} value={value} onChange={onChange} seen={seen} shared={shared} />
      )}
    </Word>
  );
}

/** The text of a part: a name, or what is typed of a value. */
export function textIn(part: unknown): string {
  return typeof part === 'string' ? part : ((part as Typed | undefined)?.text ?? '');
}

interface SuggestingInputProps extends Pick<WordInputProps, 'fits' | 'onPick'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly seen: SuggestionsQuery | null;
  readonly shared: { readonly 'aria-label': string; readonly value: string };
}

/** Mantine's own ARIA attributes would replace the one that points to the error. Mantine's types leave this prop out. */
const OWN_ARIA: object = { withAria: false };

/** A field that requests suggestions while it has the focus. */
function SuggestingInput({ value, onChange, onPick, seen, fits, shared }: SuggestingInputProps): ReactElement {
  const [isUsed, setUsed] = useState(false);
  const picked = useRef<SuggestedValue>(undefined);
  const suggested = useSuggested(isUsed ? seen : null, value);
  const items = suggested?.items.filter((item) => fits?.(item.value) ?? true) ?? [];
  // A text and a number may look alike, so an option is identified by its JSON.
  const options = items.map((item) => ({ value: JSON.stringify(item.value), label: String(item.value) }));
  const often = new Map(items.map((item) => [JSON.stringify(item.value), item.often]));
  // After an option is chosen, Mantine also reports the option's text as a change.
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
      comboboxProps={{ width: 340, position: 'bottom-start' }}
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

interface WordSelectProps<Value extends string> extends Pick<WordProps, 'label'> {
  readonly value: Value;
  readonly onChange: (value: Value) => void;
  readonly choices: Readonly<Record<Value, string>>;
  readonly path?: string;
  readonly ref?: Ref<HTMLSelectElement>;
  /** Shown in a weaker colour: the word adds detail to the word beside it. */
  readonly isAside?: boolean;
}

/** A word of a sentence, chosen from a list. */
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

/** A moment (ISO 8601) in a sentence. */
export function WordMoment({ label, path }: WordProps): ReactElement {
  const [value, onChange] = useField<string>(path);
  return (
    <Word kind="moment" words="" path={path}>
      <input
        {...momentInput(value, onChange)}
        aria-label={label}
        title={value}
        className={classes['input']}
        {...useMarked(path)}
      />
    </Word>
  );
}

interface WordFrameProps extends Pick<WordProps, 'path'> {
  readonly kind: 'value' | 'choice' | 'type' | 'moment';
  /** The text that gives the field its width. */
  readonly words: string;
  readonly children: ReactNode;
}

/** A field of a sentence, with its error below. */
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

/** ARIA attributes of the input at a path: whether it is wrong, and which element shows the error. */
function useMarked(path: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  const { problems } = useContext(FieldsContext);
  return path !== '' && problems.has(path) ? { 'aria-invalid': true, 'aria-describedby': problemId(path) } : {};
}
