import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import type { Draft } from './draft.ts';
import { canMove } from './tree.ts';
import { useTree } from './tree-context.ts';

interface ConditionActionsProps {
  readonly draft: Draft;
  /** `condition 2`, `group 1.3` */
  readonly name: string;
}

/** Moves, copies and removes a condition or a group. */
export function ConditionActions({ draft: { key }, name }: ConditionActionsProps): ReactElement {
  const { root, move, duplicate, remove } = useTree();
  return (
    <div className={classes['actions']}>
      <IconButton
        label={`Move ${name} up`}
        data-act="up"
        icon={IconArrowUp}
        disabled={!canMove(root, key, -1)}
        onClick={() => move(key, -1)}
      />
      <IconButton
        label={`Move ${name} down`}
        data-act="down"
        icon={IconArrowDown}
        disabled={!canMove(root, key, 1)}
        onClick={() => move(key, 1)}
      />
      <IconButton label={`Duplicate ${name}`} data-act="copy" icon={IconCopy} onClick={() => duplicate(key)} />
      <IconButton label={`Remove ${name}`} data-act="remove" icon={IconTrash} onClick={() => remove(key)} />
    </div>
  );
}

/** Negates a condition, or removes the negation. */
export function NotToggle({ draft, name }: { readonly draft: Draft; readonly name: string }): ReactElement {
  const { change } = useTree();
  const { negations } = draft;
  return (
    <button
      type="button"
      className={classes['not']}
      aria-pressed={negations > 0}
      aria-label={`Not: turn ${name} into its opposite`}
      title="Holds where the rest does not hold"
      onClick={() => change({ ...draft, negations: negations > 0 ? 0 : 1 })}
    >
      {Array.from({ length: Math.max(1, negations) }, () => 'not').join(' ')}
    </button>
  );
}
