import { createContext, useContext } from 'react';
import type { Names } from './known-names.ts';

/** What every field of a definition's editor knows. */
export interface Fields {
  /** What is wrong, by the place it is wrong at: `all.0.event.name`; the empty place is the definition itself. */
  readonly problems: ReadonlyMap<string, string>;
  /** Id of the audience that is edited: it can't ask about itself; null for a new one. */
  readonly edited: string | null;
  /** Names to propose. */
  readonly names: Names;
}

export const FieldsContext = createContext<Fields>({
  problems: new Map(),
  edited: null,
  names: { events: [], traits: [], groupTraits: [], properties: [] },
});

/** Of an input at that place; its message is told by the sentence it stands in. */
export function useMarked(path: string): { 'aria-invalid'?: true; 'aria-describedby'?: string } {
  const { problems } = useContext(FieldsContext);
  return problems.has(path) ? { 'aria-invalid': true, 'aria-describedby': problemId(path) } : {};
}

/** Of the element that tells the message. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}
