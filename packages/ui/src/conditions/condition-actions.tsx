import { Group } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconTrash } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { IconButton } from '../components/icon-button.tsx';
import classes from './builder.module.css';
import type { Draft } from './draft.ts';
import { useField, useTree } from './fields-context.ts';
import { at, copyOf, inside, moved, replaced, withKey } from './tree.ts';

interface ConditionActionsProps {
  readonly path: string;
  /** `condition 2`, `group 1.3` */
  readonly name: string;
}

/** Moves, copies and removes a condition or a group. */
export function ConditionActions({ path, name }: ConditionActionsProps): ReactElement {
  const [root, change] = useTree();
  const draft = at(root, path) as Draft;
  const move = (by: 1 | -1): ReactElement => {
    const [way, other, icon] = by === 1 ? ['down', 'up', IconArrowDown] : (['up', 'down', IconArrowUp] as const);
    const next = moved(root, path, by);
    const pressed = (act: string): string => `${withKey(draft)} [data-act="${act}"]:not(:disabled)`;
    return (
      <IconButton
        label={`Move ${name} ${way}`}
        data-act={way}
        icon={icon}
        disabled={!next}
        onClick={() => next && change(next, pressed(way), pressed(other))}
      />
    );
  };
  const duplicate = (): void => {
    const copy = copyOf(draft);
    change(replaced(root, path, draft, copy), `${withKey(copy)} select`);
  };
  return (
    <Group className={classes['actions'] ?? ''} gap={2} ms="auto" wrap="nowrap">
      {move(-1)}
      {move(1)}
      <IconButton label={`Duplicate ${name}`} data-act="copy" icon={IconCopy} onClick={duplicate} />
      <IconButton
        label={`Remove ${name}`}
        data-act="remove"
        icon={IconTrash}
        onClick={() => change(replaced(root, path), '[data-act="add"]')}
      />
    </Group>
  );
}

/** Negates a condition, or removes the negation. */
export function NotToggle({ path, name }: ConditionActionsProps): ReactElement {
  const [draft, change] = useField<Draft>(path);
  const { inner, negations } = inside(draft);
  return (
    <button
      type="button"
      className={classes['not']}
      aria-pressed={negations > 0}
      aria-label={`Not: turn ${name} into its opposite`}
      title="Holds where the rest does not hold"
      onClick={() => change(negations > 0 ? inner : { not: draft })}
    >
      {Array.from({ length: Math.max(1, negations) }, () => 'not').join(' ')}
    </button>
  );
}
