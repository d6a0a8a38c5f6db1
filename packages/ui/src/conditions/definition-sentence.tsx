import { Box, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Condition, TraitDefinition } from '../../../server/src/admin/contract.ts';
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
  return (
    <Box component={inline ? 'span' : 'div'} style={{ overflowWrap: 'anywhere' }}>
      <Part definition={definition} inline={inline} isOutermost />
    </Box>
  );
}

const PARTS = { borderInlineStart: '2px solid var(--millrace-border)' };

interface PartProps extends Required<DefinitionSentenceProps> {
  /** True for the outermost group: it needs no brackets. */
  readonly isOutermost?: boolean;
}

function Part({ definition, inline, isOutermost = false }: PartProps): ReactElement {
  if ('compute' in definition) return <SentencePieces pieces={traitSentenceOf(definition)} />;
  if ('not' in definition) {
    return (
      <>
        <Text span inherit c="var(--millrace-bad)" fw={600}>
          not
        </Text>{' '}
        <Part definition={definition.not} inline={inline} />
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
        <Text c="dimmed">{isAll ? 'All of these' : 'Any of these'}</Text>
        <Stack component="ul" gap={6} my={4} ps={18} style={PARTS}>
          {parts.map((part, i) => (
            <li key={place(i)}>
              <Part definition={part} inline={false} />
            </li>
          ))}
        </Stack>
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
