import type { ReactElement } from 'react';
import type { TraitDefinition } from '../../../server/src/admin/contract.ts';
import classes from './definition-sentence.module.css';
import { traitSentenceOf } from './pieces.ts';
import { SentencePieces } from './sentence-pieces.tsx';

/** What a computed trait computes, as people say it. */
export function TraitSentence({ definition }: { readonly definition: TraitDefinition }): ReactElement {
  return (
    <span className={classes['sentence']}>
      <SentencePieces pieces={traitSentenceOf(definition)} />
    </span>
  );
}
