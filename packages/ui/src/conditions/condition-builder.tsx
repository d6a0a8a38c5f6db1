import { Group } from '@mantine/core';
import { Fragment, type ReactElement, useEffect, useRef } from 'react';
import { AddButton } from '../components/add-button.tsx';
import classes from './builder.module.css';
import { ConditionActions, NotToggle } from './condition-actions.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type Draft, type GroupDraft, newCondition, newGroup } from './draft.ts';
import { ProblemList } from './problem-list.tsx';
import { asTree, copyOf, edited, moved, withAdded } from './tree.ts';
import { type Tree, TreeContext, useTree } from './tree-context.ts';
import { WordSelect } from './word-fields.tsx';
import { insideNot, within } from './written.ts';

interface ConditionBuilderProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** Makes the condition that is added. Default: a condition about a person. */
  readonly newLeaf?: () => Draft;
}

/** A definition as sentences, edited in place. The focus stays on a condition that was just added, moved or copied. */
export function ConditionBuilder(props: ConditionBuilderProps): ReactElement {
  const { draft: root, onChange, newLeaf = newCondition } = props;
  const box = useRef<HTMLDivElement>(null);
  const next = useRef<readonly string[]>([]);
  const focusThen = (...selectors: readonly string[]): void => {
    next.current = selectors;
  };
  useEffect(() => {
    const found = next.current.map((selector) => box.current?.querySelector<HTMLElement>(selector)).find(Boolean);
    next.current = [];
    found?.focus();
  });

  const edit = (key: string, put: (draft: Draft) => readonly Draft[]): void => onChange(asTree(edited(root, key, put)));
  const tree: Tree = {
    root,
    newLeaf,
    change: (changed) => edit(changed.key, () => [changed]),
    add: (group, added) => {
      focusThen(`${at(added.key)} select`);
      if (!group) onChange(withAdded(root, added));
      else
        edit(group.key, (before) =>
          before.kind === 'group' ? [{ ...before, parts: [...before.parts, added] }] : [before],
        );
    },
    duplicate: (key) => {
      edit(key, (draft) => {
        const copy = copyOf(draft);
        focusThen(`${at(copy.key)} select`);
        return [draft, copy];
      });
    },
    remove: (key) => {
      focusThen('[data-act="add"]');
      edit(key, () => []);
    },
    move: (key, by) => {
      const [pressed, other] = by === 1 ? ['down', 'up'] : ['up', 'down'];
      focusThen(...[pressed, other].map((act) => `${at(key)} [data-act="${act}"]:not(:disabled)`));
      onChange(moved(root, key, by));
    },
  };
  return (
    <TreeContext value={tree}>
      <div ref={box}>
        {root.kind === 'group' ? (
          <ConditionGroup draft={root} path="" number="" />
        ) : (
          <>
            <ConditionRow draft={root} path="" number="1" />
            <AddButton mt="sm" data-act="add" onClick={() => tree.add(null, newLeaf())}>
              Add condition
            </AddButton>
          </>
        )}
      </div>
    </TreeContext>
  );
}

function at(key: string): string {
  return `[data-condition="${key}"]`;
}

interface ConditionGroupProps {
  readonly draft: Draft & GroupDraft;
  readonly path: string;
  /** `1.3`; empty for the outermost group. */
  readonly number: string;
}

const WORDS = { all: 'all of these', any: 'any of these' } as const;

/** A group of conditions: all or any of them must hold. */
function ConditionGroup({ draft, path, number }: ConditionGroupProps): ReactElement {
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
