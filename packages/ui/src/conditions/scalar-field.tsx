import type { ReactElement } from 'react';
import type { ScalarDraft } from './draft.ts';
import { WordInput } from './word-input.tsx';
import { WordSelect } from './word-select.tsx';

const TYPES = { text: 'text', number: 'number', true: 'true', false: 'false', null: 'null' } as const;

interface ScalarFieldProps {
  readonly value: ScalarDraft;
  readonly label: string;
  readonly path: string;
  readonly onChange: (value: ScalarDraft) => void;
}

/** A value of one of JSON's simple types: the text 1 is not the number 1. */
export function ScalarField({ value, label, path, onChange }: ScalarFieldProps): ReactElement {
  return (
    <>
      {(value.type === 'text' || value.type === 'number') && (
        <WordInput
          label={label}
          value={value.text}
          path={path}
          placeholder={value.type}
          isNumber={value.type === 'number'}
          onChange={(text) => onChange({ ...value, text })}
        />
      )}
      <WordSelect
        label={`Type of ${label.toLowerCase()}`}
        value={value.type}
        choices={TYPES}
        isAside={value.type === 'text' || value.type === 'number'}
        onChange={(type) => onChange({ ...value, type })}
      />
    </>
  );
}
