import { Code, Text } from '@mantine/core';
import { type Icon, IconMathFunction, IconUsersGroup } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useMatch, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ListedMember } from '../../../server/src/admin/contract.ts';
import { audiencesApi, type Defined, type DefinitionsApi, traitsApi } from '../api/definitions.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import type { Column } from '../components/data-table.tsx';
import { DefinitionSentence } from '../conditions/definition-sentence.tsx';
import type { Tab } from '../shell/thing-page.tsx';
import { type Listed, THINGS } from '../shell/things.ts';

/** What differs between the pages of audiences and of computed traits. */
export interface DefinitionKind extends Listed {
  readonly list: (typeof THINGS)['audience' | 'trait']['list'];
  readonly api: DefinitionsApi<unknown>;
  readonly icon: Icon;
  /** What the kind is for. */
  readonly about: string;
  /** What the page of a new definition explains. */
  readonly aboutNew: string;
  /** Shown to a new user when the list is empty. */
  readonly example: ReactNode;
  /** Heading of the definition. */
  readonly title: string;
  /** The persons that its size counts: `members`. */
  readonly members: string;
  /** Column head of the size: `Members`. */
  readonly sizeOf: string;
  /** Words in the member list for when a person was added. */
  readonly since: string;
  /** An example of the value that its calls carry for the key. */
  readonly value: string;
  /** The tabs of a definition's page. */
  readonly tabs: readonly Tab[];
  /** A column beside each person. */
  readonly beside: (id: string) => Column<ListedMember>;
}

export const AUDIENCE: DefinitionKind = {
  ...THINGS.audience,
  api: audiencesApi,
  icon: IconUsersGroup,
  about: 'Persons for whom a condition holds now. Destinations get each change.',
  aboutNew: 'Describe the members. The live size counts the persons who would be members now.',
  example: (
    <>
      For example, all persons who “
      <DefinitionSentence
        definition={{
          event: { name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] },
          count: { atLeast: 2 },
          during: { lastDays: 30 },
        }}
        inline
      />
      ”. When a person enters, the destinations get <Code>true</Code>; when a person leaves, they get <Code>false</Code>
      . Both go out within a second.
    </>
  ),
  title: 'Who is in',
  members: 'members',
  sizeOf: 'Members',
  since: 'Joined',
  value: 'true',
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
};

export const TRAIT: DefinitionKind = {
  ...THINGS.trait,
  api: traitsApi,
  icon: IconMathFunction,
  about: 'Values computed from each person’s events, kept up to date and sent to destinations when they change.',
  aboutNew: 'Describe what is computed. The live values are those that persons would have now.',
  example: (
    <>
      For example, “
      <DefinitionSentence
        definition={{ compute: { sum: 'total' }, event: { name: 'Order Completed' }, during: { lastDays: 90 } }}
        inline
      />
      ”. Each person’s value is sent to its destinations as <Code>{'{"revenue_90days": 420}'}</Code>, and again when it
      changes.
    </>
  ),
  title: 'What is computed',
  members: 'persons with a value',
  sizeOf: 'With a value',
  since: 'Has a value since',
  value: '4.2',
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
};

/** The kind of definitions that the open page is about, by its path. */
export function useKind(): DefinitionKind {
  const { fullPath } = useMatch({ strict: false });
  return fullPath.startsWith(AUDIENCE.list) ? AUDIENCE : TRAIT;
}

/** A kind, and one definition of it. */
export interface OfKind {
  readonly kind: DefinitionKind;
  readonly of: Defined;
}

/** The definition of the open page. Tabs are shown only after it is loaded. */
export function useDefinition(): OfKind {
  const kind = useKind();
  const { id = '' } = useParams({ strict: false });
  return { kind, of: useSuspenseQuery(kind.api.one(id)).data };
}
