import { Group } from '@mantine/core';
import { Fragment, type ReactElement } from 'react';
import { AddButton } from '../components/add-button.tsx';
import classes from './builder.module.css';
import { ConditionActions } from './condition-actions.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type Draft, type GroupDraft, newGroup } from './draft.ts';
import { NotToggle } from './not-toggle.tsx';
import { ProblemList } from './problem-list.tsx';
import { useTree } from './tree-context.ts';
import { WordSelect } from './word-select.tsx';
import { insideNot, within } from './written.ts';

interface ConditionGroupProps {
  readonly draft: Draft & GroupDraft;
  readonly path: string;
  /** `1.3`; empty for the outermost. */
  readonly number: string;
}

const WORDS = { all: 'all of these', any: 'any of these' } as const;

/** Conditions of which all must hold, or any. */
export function ConditionGroup({ draft, path, number }: ConditionGroupProps): ReactElement {
  const { change, add, newLeaf } = useTree();
  const { of, parts } = draft;
  const at = within(insideNot(path, draft.negations), of);
  const name = number === '' ? 'the whole' : `group ${number}`;
  return (
    <fieldset
      className={classes['group']}
      aria-label={number === '' ? 'Conditions' : `Group ${number}`}
      data-condition={draft.key}
    >
      <div className={classes['head']}>
        <NotToggle draft={draft} name={name} />
        <WordSelect
          label={`How ${name} is joined`}
          value={of}
          choices={WORDS}
          onChange={(chosen) => change({ ...draft, of: chosen })}
        />
        {number !== '' && <ConditionActions draft={draft} name={name} />}
        <ProblemList path={path} but={at} />
      </div>
      <div className={classes['parts']}>
        {parts.map((part, i) => {
          const place = { path: within(at, i), number: number === '' ? `${i + 1}` : `${number}.${i + 1}` };
          return (
            <Fragment key={part.key}>
              {i > 0 && <div className={classes['join']}>{of === 'all' ? 'and' : 'or'}</div>}
              {part.kind === 'group' ? (
                <ConditionGroup draft={part} {...place} />
              ) : (
                <ConditionRow draft={part} {...place} />
              )}
            </Fragment>
          );
        })}
      </div>
      <Group gap="xs" mt={parts.length > 0 ? 'sm' : 0}>
        <AddButton data-act="add" onClick={() => add(draft, newLeaf())}>
          Add condition
        </AddButton>
        <AddButton variant="subtle" onClick={() => add(draft, newGroup(of === 'all' ? 'any' : 'all', [newLeaf()]))}>
          Add group
        </AddButton>
      </Group>
    </fieldset>
  );
}
