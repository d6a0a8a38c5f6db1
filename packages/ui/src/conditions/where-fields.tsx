import { ActionIcon, Button } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { type ReactElement, useContext } from 'react';
import classes from './builder.module.css';
import { newWhere, type SelectionDraft, type WhereDraft } from './draft.ts';
import { FieldsContext } from './fields-context.ts';
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
  const { names } = useContext(FieldsContext);
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
              placeholder="total"
              proposals={names.properties}
              onChange={(property) => replace({ ...part, property })}
            />
            <TestFields is={part.is} path={within(at, 'is')} onChange={(is) => replace({ ...part, is })} />
            <ActionIcon
              variant="subtle"
              color="gray"
              size={26}
              aria-label={`Remove property ${i + 1}`}
              onClick={() => change(event.where.filter(({ key }) => key !== part.key))}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </fieldset>
        );
      })}
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<IconPlus size={12} aria-hidden />}
        onClick={() => change([...event.where, newWhere()])}
      >
        {event.where.length === 0 ? 'where' : 'and'}
      </Button>
    </>
  );
}
