import type { ReactElement } from 'react';
import type { TermName } from './explained.ts';
import { TERMS } from './terms.ts';

/** The meaning of a word. */
export function TermMeaning({ name }: { readonly name: TermName }): ReactElement {
  return <>{TERMS.find(({ word }) => word === name)?.means}</>;
}
