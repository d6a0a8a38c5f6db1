import { type ReactElement, useEffect, useRef } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import type { ScalarDraft } from './draft.ts';
import type { SuggestedValue } from './use-suggested.ts';
import { WordInput } from './word-input.tsx';
import { WordSelect } from './word-select.tsx';

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
  /** The values that were seen. */
  readonly seen: SuggestionsQuery | null;
  readonly onChange: (value: ScalarDraft) => void;
}

/** A value of one of JSON's simple types: the text 1 is not the number 1. */
export function ScalarField({ value, label, path, seen, onChange }: ScalarFieldProps): ReactElement {
  const typeField = useRef<HTMLSelectElement>(null);
  const isPicked = useRef(false);
  const isWritten = value.type === 'text' || value.type === 'number';
  // What was chosen may leave nothing to type into: the focus goes on to what tells it.
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
