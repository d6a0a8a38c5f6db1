import { createContext } from 'react';

/** What every field of a definition's editor needs. */
export interface Fields {
  /** The errors by path: `all.0.event.name`; the empty path is the definition itself. */
  readonly problems: ReadonlyMap<string, string>;
  /** The paths of fields that show their own errors. */
  readonly fields: ReadonlySet<string>;
  /** Id of the audience that is being edited, which can't refer to itself; null for a new one. */
  readonly edited: string | null;
}

export const FieldsContext = createContext<Fields>({ problems: new Map(), fields: new Set(), edited: null });

/** Id of the element that shows the error. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}
