import type { ReactElement } from 'react';
import type { TermName } from './explained.ts';
import { TERMS } from './terms.ts';

/** What a word means. */
export function TermMeaning({ name }: { readonly name: TermName }): ReactElement {
  return <>{TERMS.find(({ word }) => word === name)?.means}</>;
}
