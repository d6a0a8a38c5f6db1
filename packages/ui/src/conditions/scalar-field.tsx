import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { newScalar, type ScalarDraft } from './draft.ts';
import type { SuggestedValue } from './use-suggested.ts';
import { WordInput, WordSelect } from './word-fields.tsx';
import { within } from './written.ts';

const TYPES = {
  text: 'text',
  empty: 'empty text',
  number: 'number',
  true: 'true',
  false: 'false',
  null: 'null',
} as const;

interface ScalarFieldProps {
  readonly value: ScalarDraft;
  readonly label: string;
  readonly path: string;
  /** The query for suggested values. */
  readonly seen: SuggestionsQuery | null;
  readonly onChange: (value: ScalarDraft) => void;
}

/** A value of one of JSON's simple types. The text `1` and the number `1` differ. */
export function ScalarField({ value, label, path, seen, onChange }: ScalarFieldProps): ReactElement {
  const typeField = useRef<HTMLSelectElement>(null);
  const isPicked = useRef(false);
  const isWritten = value.type === 'text' || value.type === 'number';
  // The chosen type may have no text field: then the focus moves to the field of the type.
  useEffect(() => {
    if (isPicked.current && !isWritten) typeField.current?.focus();
    isPicked.current = false;
  });
  const pick = (chosen: SuggestedValue): void => {
    isPicked.current = true;
    if (typeof chosen === 'boolean') onChange({ ...value, type: `${chosen}`, text: '' });
    else onChange({ ...value, type: typeof chosen === 'number' ? 'number' : 'text', text: String(chosen) });
  };
  return (
    <>
      {isWritten && (
        <WordInput
          label={label}
          value={value.text}
          path={path}
          placeholder={`a ${value.type}`}
          seen={seen}
          onPick={pick}
          isNumber={value.type === 'number'}
          onChange={(text) => onChange({ ...value, text })}
        />
      )}
      <WordSelect
        ref={typeField}
        label={`Type of ${label.toLowerCase()}`}
        value={value.type}
        choices={TYPES}
        isAside={isWritten}
        {...(!isWritten && { path })}
        onChange={(type) => onChange({ ...value, type })}
      />
    </>
  );
}

interface ScalarListProps {
  readonly values: readonly ScalarDraft[];
  readonly path: string;
  readonly seen: SuggestionsQuery | null;
  readonly onChange: (values: readonly ScalarDraft[]) => void;
}

/** A list of values, one of which must match. */
export function ScalarList({ values, path, seen, onChange }: ScalarListProps): ReactElement {
  return (
    <>
      {values.map((value, i) => (
        <span key={value.key} style={{ display: 'contents' }}>
          {i > 0 && <span>or</span>}
          <ScalarField
            value={value}
            label={`Value ${i + 1}`}
            path={within(path, i)}
            seen={seen}
            onChange={(changed) => onChange(values.map((each) => (each.key === value.key ? changed : each)))}
          />
          {values.length > 1 && (
            <IconButton
              className={classes['icon'] ?? ''}
              icon={IconX}
              label={`Remove value ${i + 1}`}
              onClick={() => onChange(values.filter(({ key }) => key !== value.key))}
            />
          )}
        </span>
      ))}
      <IconButton
        className={classes['icon'] ?? ''}
        icon={IconPlus}
        label="Add a value"
        onClick={() => onChange([...values, { ...newScalar(), type: values.at(-1)?.type ?? 'text' }])}
      />
    </>
  );
}
