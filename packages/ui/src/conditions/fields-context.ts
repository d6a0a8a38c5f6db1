import { createContext, useContext } from 'react';
import { flushSync } from 'react-dom';
import type { Draft } from './draft.ts';
import { at, put } from './tree.ts';

/** What every field of a definition's editor needs. */
interface Fields {
  readonly draft: unknown;
  readonly onChange: (draft: unknown) => void;
  /** The errors by path: `all.0.event.name`; the empty path is the definition itself. */
  readonly problems: ReadonlyMap<string, string>;
  /** The paths of fields that show their own errors. */
  readonly fields: ReadonlySet<string>;
  /** Id of the audience that is being edited, which can't refer to itself; null for a new one. */
  readonly edited: string | null;
}

export const FieldsContext = createContext<Fields>({
  draft: null,
  onChange: () => undefined,
  problems: new Map(),
  fields: new Set(),
  edited: null,
});

/** The part of the draft at a path, and the function that replaces it. */
export function useField<Part>(path: string): readonly [part: Part, change: (part: Part) => void] {
  const { draft, onChange } = useContext(FieldsContext);
  return [at(draft, path) as Part, (part) => onChange(put(draft, path, part))];
}

/** The whole tree of conditions, and the function that replaces it and then focuses the first of these elements that is there. */
export function useTree(): readonly [root: Draft, change: (root: Draft, ...focused: readonly string[]) => void] {
  const [root, setRoot] = useField<Draft>('');
  const change = (changed: Draft, ...focused: readonly string[]): void => {
    flushSync(() => setRoot(changed));
    const found = focused.map((selector) => document.querySelector<HTMLElement>(selector)).find(Boolean);
    found?.focus();
  };
  return [root, change];
}

/** Id of the element that shows the error. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}
