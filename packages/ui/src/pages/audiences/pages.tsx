import { Code } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import type { Condition } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { DefinitionSentence } from '../../conditions/definition-sentence.tsx';
import { type DefinitionPages, definitionPages } from '../../definitions/definition-pages.tsx';
import { AUDIENCE } from './kind.ts';

const EXAMPLE: Condition = {
  event: { name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] },
  count: { atLeast: 2 },
  during: { lastDays: 30 },
};

export const PAGES: DefinitionPages = definitionPages({
  ...AUDIENCE,
  icon: IconUsersGroup,
  about: 'Persons for whom a condition holds now. Destinations get each change.',
  example: (
    <>
      For example, all persons who “<DefinitionSentence definition={EXAMPLE} inline />
      ”. When a person enters, the destinations get <Code>true</Code>; when a person leaves, they get <Code>false</Code>
      . Both go out within a second.
    </>
  ),
  sizeOf: 'Members',
  tabs: [
    ['', 'Overview'],
    ['/members', 'Members'],
    ['/why', 'Why in or out?'],
    ['/sent', 'Sent'],
  ],
  beside: (id) => ({
    header: 'Why',
    cell: (member) => (
      <AnchorLink to="/audiences/$id/why" params={{ id }} search={{ person: member.id }}>
        why in?
      </AnchorLink>
    ),
  }),
});
