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
  if (inline)
    return (
      <span className={classes['sentence']}>
        <Inline condition={condition} isOutermost />
      </span>
    );
  return (
    <div className={classes['sentence']}>
      <Block condition={condition} />
    </div>
  );
}

function Block({ condition }: { readonly condition: Condition }): ReactElement {
  if ('not' in condition) {
    return (
      <>
        <span className={classes['not']}>not</span> <Block condition={condition.not} />
      </>
    );
  }
  if (!('all' in condition) && !('any' in condition)) return <SentencePieces pieces={sentenceOf(condition)} />;
  const [parts, word] = 'all' in condition ? [condition.all, 'All of these'] : [condition.any, 'Any of these'];
  const [only, ...others] = parts;
  if (only && others.length === 0) return <Block condition={only} />;
  return (
    <>
      <span className={classes['word']}>{word}</span>
      <ul className={classes['parts']}>
        {parts.map((part, i) => (
          <li key={place(i)}>
            <Block condition={part} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Inline(props: { readonly condition: Condition; readonly isOutermost?: boolean }): ReactElement {
  const { condition, isOutermost = false } = props;
  if ('not' in condition) {
    return (
      <>
        <span className={classes['not']}>not</span> <Inline condition={condition.not} />
      </>
    );
  }
  if (!('all' in condition) && !('any' in condition)) return <SentencePieces pieces={sentenceOf(condition)} />;
  const [parts, word] = 'all' in condition ? [condition.all, ' and '] : [condition.any, ' or '];
  const isBare = isOutermost || parts.length === 1;
  return (
    <>
      {isBare || '('}
      {parts.map((part, i) => (
        <span key={place(i)}>
          {i > 0 && word}
          <Inline condition={part} />
        </span>
      ))}
      {isBare || ')'}
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
