import { Code, Text } from '@mantine/core';
import { IconMathFunction } from '@tabler/icons-react';
import type { TraitDefinition } from '../../../../server/src/admin/contract.ts';
import { DefinitionSentence } from '../../conditions/definition-sentence.tsx';
import { type DefinitionPages, definitionPages } from '../../definitions/definition-pages.tsx';
import { TRAIT } from './kind.ts';

const EXAMPLE: TraitDefinition = {
  compute: { sum: 'total' },
  event: { name: 'Order Completed' },
  during: { lastDays: 90 },
};

export const PAGES: DefinitionPages = definitionPages({
  ...TRAIT,
  icon: IconMathFunction,
  about: 'Values computed from each person’s events, kept up to date and sent to destinations when they change.',
  example: (
    <>
      For example, “<DefinitionSentence definition={EXAMPLE} inline />
      ”. Each person’s value is sent to its destinations as <Code>{'{"revenue_90days": 420}'}</Code>, and again when it
      changes.
    </>
  ),
  sizeOf: 'With a value',
  tabs: [
    ['', 'Overview'],
    ['/values', 'Values'],
    ['/sent', 'Sent'],
  ],
  beside: () => ({
    header: 'Value',
    width: '35%',
    cell: ({ value }) => (
      <Text span ff="monospace" lineClamp={3}>
        {JSON.stringify(value)}
      </Text>
    ),
  }),
});
