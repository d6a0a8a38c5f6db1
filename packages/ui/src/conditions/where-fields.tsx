import { IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { SuggestionsQuery } from '../api/suggestions.ts';
import { AddButton } from '../components/add-button.tsx';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import { newWhere, type SelectionDraft, type WhereDraft } from './draft.ts';
import { TestFields } from './test-fields.tsx';
import { WordInput } from './word-input.tsx';
import { within } from './written.ts';

interface WhereFieldsProps {
  readonly event: SelectionDraft;
  readonly path: string;
  readonly onChange: (event: SelectionDraft) => void;
}

/** What the event's properties must be: all of it. */
export function WhereFields({ event, path, onChange }: WhereFieldsProps): ReactElement {
  const seen = propertiesOf(event);
  const change = (where: readonly WhereDraft[]): void => onChange({ ...event, where });
  const replace = (changed: WhereDraft): void =>
    change(event.where.map((each) => (each.key === changed.key ? changed : each)));
  return (
    <>
      {event.where.map((part, i) => {
        const at = within(within(path, 'where'), i);
        return (
          <fieldset key={part.key} className={classes['where']} aria-label={`Property ${i + 1}`}>
            <span>{i === 0 ? 'where' : 'and'}</span>
            <WordInput
              label="Property"
              value={part.property}
              path={within(at, 'property')}
              placeholder="property"
              seen={seen}
              onChange={(property) => replace({ ...part, property })}
            />
            <TestFields
              is={part.is}
              path={within(at, 'is')}
              seen={seen === null || part.property === '' ? null : { ...seen, name: part.property }}
              onChange={(is) => replace({ ...part, is })}
            />
            <IconButton
              className={classes['icon'] ?? ''}
              icon={IconX}
              label={`Remove property ${i + 1}`}
              onClick={() => change(event.where.filter(({ key }) => key !== part.key))}
            />
          </fieldset>
        );
      })}
      <AddButton variant="subtle" size="compact-xs" onClick={() => change([...event.where, newWhere()])}>
        {event.where.length === 0 ? 'where' : 'and'}
      </AddButton>
    </>
  );
}

/** The properties that events of the selection had; null while it has no name. */
export function propertiesOf({ type, name }: SelectionDraft): PropertyQuery | null {
  if (name === '') return null;
  return { of: 'property', type: type ?? 'track', ...(name !== null && { event: name }) };
}

type PropertyQuery = Extract<SuggestionsQuery, { readonly of: 'property' }>;
