import type { ReactElement } from 'react';
import { TERMS, type TermName } from './terms.ts';

/** What a word means. */
export function TermMeaning({ name }: { readonly name: TermName }): ReactElement {
  return <>{TERMS[name].means}</>;
}
