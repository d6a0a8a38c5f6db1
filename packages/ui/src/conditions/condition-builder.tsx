import { type ReactElement, useEffect, useRef } from 'react';
import { AddButton } from '../components/add-button.tsx';
import { ConditionGroup } from './condition-group.tsx';
import { ConditionRow } from './condition-row.tsx';
import { type Draft, newCondition } from './draft.ts';
import { asTree, copyOf, edited, moved, withAdded } from './tree.ts';
import { type Tree, TreeContext } from './tree-context.ts';

interface ConditionBuilderProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** What is added: a condition of a person, unless given. */
  readonly newLeaf?: () => Draft;
}

/** A definition as sentences that are edited in place. The focus stays with what was just added, moved or copied. */
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
