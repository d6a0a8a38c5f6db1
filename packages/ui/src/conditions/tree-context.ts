import { createContext, useContext } from 'react';
import type { Draft } from './draft.ts';

/** The actions that each condition offers on its tree. */
export interface Tree {
  readonly root: Draft;
  /** Makes the condition that is added. */
  readonly newLeaf: () => Draft;
  readonly change: (draft: Draft) => void;
  readonly add: (group: Draft | null, added: Draft) => void;
  readonly duplicate: (key: string) => void;
  readonly remove: (key: string) => void;
  readonly move: (key: string, by: 1 | -1) => void;
}

export const TreeContext = createContext<Tree | null>(null);

export function useTree(): Tree {
  const tree = useContext(TreeContext);
  if (!tree) throw new Error('A condition stands outside of a tree.');
  return tree;
}
