import type { ReactElement } from 'react';
import classes from './builder.module.css';
import type { Draft } from './draft.ts';
import { useTree } from './tree-context.ts';

/** Turns a condition into its opposite. */
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
