import { createContext } from 'react';

/** What every field of a definition's editor knows. */
export interface Fields {
  /** What is wrong, by the place it is wrong at: `all.0.event.name`; the empty place is the definition itself. */
  readonly problems: ReadonlyMap<string, string>;
  /** The places that have a field, which tells what is wrong there. */
  readonly fields: ReadonlySet<string>;
  /** Id of the audience that is edited: it can't ask about itself; null for a new one. */
  readonly edited: string | null;
}

export const FieldsContext = createContext<Fields>({ problems: new Map(), fields: new Set(), edited: null });

/** Of the element that tells the message. */
export function problemId(path: string): string {
  return `problem-${path.replaceAll('.', '-')}`;
}
