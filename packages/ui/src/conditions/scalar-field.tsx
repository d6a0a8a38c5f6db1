import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactElement, useEffect, useRef } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { type Typed, typed } from './draft.ts';
import { useField } from './fields-context.ts';
import { within } from './tree.ts';
import type { SuggestedValue } from './use-suggested.ts';
import { WordInput, WordSelect } from './word-fields.tsx';

const TYPES = {
  text: 'text',
  empty: 'empty text',
  number: 'number',
  true: 'true',
  false: 'false',
  null: 'null',
} as const;

interface ScalarFieldProps {
  readonly label: string;
  readonly path: string;
  /** The query for suggested values. */
  readonly seen: SuggestionsQuery | null;
}

/** A value of one of JSON's simple types. The text `1` and the number `1` differ. */
export function ScalarField({ label, path, seen }: ScalarFieldProps): ReactElement {
  const [value, onChange] = useField<Typed>(path);
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
          path={path}
          placeholder={`a ${value.type}`}
          seen={seen}
          onPick={pick}
          isNumber={value.type === 'number'}
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

/** A list of values, one of which must match. */
export function ScalarList({ path, seen }: Omit<ScalarFieldProps, 'label'>): ReactElement {
  const [values, onChange] = useField<readonly Typed[]>(path);
  return (
    <>
      {values.map((value, i) => (
        <span key={value.key} className={classes['listed']}>
          {i > 0 && <span>or</span>}
          <ScalarField label={`Value ${i + 1}`} path={within(path, i)} seen={seen} />
          {values.length > 1 && (
            <IconButton
              className={classes['icon'] ?? ''}
              icon={IconX}
              label={`Remove value ${i + 1}`}
              onClick={() => onChange(values.filter((other) => other !== value))}
            />
          )}
        </span>
      ))}
      <IconButton
        className={classes['icon'] ?? ''}
        icon={IconPlus}
        label="Add a value"
        onClick={() => onChange([...values, typed(values.at(-1)?.type ?? 'text')])}
      />
    </>
  );
}
