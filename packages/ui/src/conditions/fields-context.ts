import { createContext, useContext } from 'react';
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

/** Id of the element that shows the error. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}
