import type { ReactElement } from 'react';
import type { Condition, TraitDefinition } from '../../../server/src/admin/contract.ts';
import classes from './definition-sentence.module.css';
import { sentenceOf, traitSentenceOf } from './pieces.ts';
import { place } from './place.ts';
import { SentencePieces } from './sentence-pieces.tsx';

interface DefinitionSentenceProps {
  readonly definition: Condition | TraitDefinition;
  /** True: one line of text, for lists. Default: one line for each condition. */
  readonly inline?: boolean;
}

/** The definition of an audience or a computed trait, in plain words. */
export function DefinitionSentence({ definition, inline = false }: DefinitionSentenceProps): ReactElement {
  const Whole = inline ? 'span' : 'div';
  return (
    <Whole className={classes['sentence']}>
      <Part definition={definition} inline={inline} isOutermost />
    </Whole>
  );
}

interface PartProps extends Required<DefinitionSentenceProps> {
  /** True for the outermost group: it needs no brackets. */
  readonly isOutermost?: boolean;
}

function Part({ definition, inline, isOutermost = false }: PartProps): ReactElement {
  if ('compute' in definition) return <SentencePieces pieces={traitSentenceOf(definition)} />;
  if ('not' in definition) {
    return (
      <>
        <span className={classes['not']}>not</span> <Part definition={definition.not} inline={inline} />
      </>
    );
  }
  if (!('all' in definition) && !('any' in definition)) return <SentencePieces pieces={sentenceOf(definition)} />;
  const isAll = 'all' in definition;
  const parts = isAll ? definition.all : definition.any;
  const [only, ...others] = parts;
  if (only && others.length === 0) return <Part definition={only} inline={inline} />;
  if (!inline) {
    return (
      <>
        <span className={classes['word']}>{isAll ? 'All of these' : 'Any of these'}</span>
        <ul className={classes['parts']}>
          {parts.map((part, i) => (
            <li key={place(i)}>
              <Part definition={part} inline={false} />
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
          <Part definition={part} inline />
        </span>
      ))}
      {isOutermost || ')'}
    </>
  );
}
