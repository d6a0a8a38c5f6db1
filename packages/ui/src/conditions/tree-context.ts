import { createContext, useContext } from 'react';
import type { Draft } from './draft.ts';
import { keyOf } from './tree.ts';

/** The tree that a condition stands in. */
interface Tree {
  readonly root: Draft;
  /** Makes the condition that is added. */
  readonly newLeaf: () => Draft;
  /** Replaces the tree, then focuses the first of these elements that is there. */
  readonly change: (root: Draft, ...focused: readonly string[]) => void;
}

export const TreeContext = createContext<Tree | null>(null);

export function useTree(): Tree {
  const tree = useContext(TreeContext);
  if (!tree) throw new Error('A condition stands outside of a tree.');
  return tree;
}

/** Selects the element of a condition. */
export function withKey(draft: Draft): string {
  return `[data-condition="${keyOf(draft)}"]`;
}
