import { ActionIcon, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { ComponentType, ReactElement } from 'react';
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
      <Action
        words={`Move ${name} up`}
        act="up"
        icon={IconArrowUp}
        disabled={!canMove(root, key, -1)}
        onClick={() => move(key, -1)}
      />
      <Action
        words={`Move ${name} down`}
        act="down"
        icon={IconArrowDown}
        disabled={!canMove(root, key, 1)}
        onClick={() => move(key, 1)}
      />
      <Action words={`Duplicate ${name}`} act="copy" icon={IconCopy} onClick={() => duplicate(key)} />
      <Action words={`Remove ${name}`} act="remove" icon={IconTrash} onClick={() => remove(key)} />
    </div>
  );
}

interface ActionProps {
  readonly words: string;
  readonly act: string;
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly disabled?: boolean;
  readonly onClick: () => void;
}

function Action({ words, act, icon: Icon, disabled = false, onClick }: ActionProps): ReactElement {
  return (
    <Tooltip label={words}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={28}
        aria-label={words}
        data-act={act}
        disabled={disabled}
        onClick={onClick}
      >
        <Icon size={15} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
