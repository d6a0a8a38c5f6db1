import type { ReactElement } from 'react';
import type { Condition, TraitDefinition } from '../../../server/src/admin/contract.ts';
import classes from './definition-sentence.module.css';
import { sentenceOf, traitSentenceOf } from './pieces.ts';
import { place } from './place.ts';
import { SentencePieces } from './sentence-pieces.tsx';

interface DefinitionSentenceProps {
  readonly condition: Condition;
  /** In one line of text, for lists; else each condition on a line of its own. */
  readonly inline?: boolean;
}

/** A definition as people say it. */
export function DefinitionSentence({ condition, inline = false }: DefinitionSentenceProps): ReactElement {
  const Whole = inline ? 'span' : 'div';
  return (
    <Whole className={classes['sentence']}>
      <Part condition={condition} inline={inline} isOutermost />
    </Whole>
  );
}

interface PartProps extends Required<DefinitionSentenceProps> {
  /** It stands in nothing that a bracket would have to tell it from. */
  readonly isOutermost?: boolean;
}

function Part({ condition, inline, isOutermost = false }: PartProps): ReactElement {
  if ('not' in condition) {
    return (
      <>
        <span className={classes['not']}>not</span> <Part condition={condition.not} inline={inline} />
      </>
    );
  }
  if (!('all' in condition) && !('any' in condition)) return <SentencePieces pieces={sentenceOf(condition)} />;
  const isAll = 'all' in condition;
  const parts = isAll ? condition.all : condition.any;
  const [only, ...others] = parts;
  if (only && others.length === 0) return <Part condition={only} inline={inline} />;
  if (!inline) {
    return (
      <>
        <span className={classes['word']}>{isAll ? 'All of these' : 'Any of these'}</span>
        <ul className={classes['parts']}>
          {parts.map((part, i) => (
            <li key={place(i)}>
              <Part condition={part} inline={false} />
            </li>
          ))}
        </ul>
      </>
    );
  }
  return (
    <>
      {isOutermost || '('}
      {parts.map((part, i) => (
        <span key={place(i)}>
          {i > 0 && (isAll ? ' and ' : ' or ')}
          <Part condition={part} inline />
        </span>
      ))}
      {isOutermost || ')'}
    </>
  );
}

/** What a computed trait computes, as people say it. */
export function TraitSentence({ definition }: { readonly definition: TraitDefinition }): ReactElement {
  return (
    <span className={classes['sentence']}>
      <SentencePieces pieces={traitSentenceOf(definition)} />
    </span>
  );
}
