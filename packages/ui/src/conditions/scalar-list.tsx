import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { newScalar, type ScalarDraft } from './draft.ts';
import { ScalarField } from './scalar-field.tsx';
import { within } from './written.ts';

interface ScalarListProps {
  readonly values: readonly ScalarDraft[];
  readonly path: string;
  readonly seen: SuggestionsQuery | null;
  readonly onChange: (values: readonly ScalarDraft[]) => void;
}

/** Values of which one must fit. */
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
