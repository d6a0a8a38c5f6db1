import { IconId } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Person, PersonTrait } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { shortened } from '../../format/shortened.ts';
import { brief } from './brief.ts';
import classes from './person.module.css';
import { ValueView } from './value-view.tsx';

const COLUMNS: readonly Column<PersonTrait>[] = [
  { header: 'Trait', width: '30%', cell: ({ name }) => name },
  { header: 'Value', cell: ({ value }) => <ValueView value={value} /> },
  { header: 'Said', width: '140px', cell: ({ at }) => <Time at={at} /> },
];

/** What identify calls said of the person, each with the newest value. */
export function PersonTraits({ person }: { readonly person: Person }): ReactElement {
  return (
    <Section id="traits" title="Traits">
      <DataTable
        label="Traits"
        columns={COLUMNS}
        rows={person.traits}
        rowKey={({ name }) => name}
        empty={
          <EmptyState icon={IconId} title="No traits">
            Identify calls say them: each keeps the value with the latest timestamp.
          </EmptyState>
        }
      />
    </Section>
  );
}

type Group = Person['groups'][number];

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { header: 'Group', width: '30%', cell: ({ id }) => shortened(id) },
  { header: 'Traits of the group', cell: (group) => <GroupTraits {...group} /> },
];

/** The groups the person was put into, with what is known of them; left out where there is none. */
export function PersonGroups({ groups }: { readonly groups: readonly Group[] }): ReactElement | null {
  if (groups.length === 0) return null;
  return (
    <Section id="groups" title="Groups">
      <DataTable label="Groups" columns={GROUP_COLUMNS} rows={groups} rowKey={({ id }) => id} empty={null} />
    </Section>
  );
}

function GroupTraits({ id, traits }: Group): ReactElement {
  if (Object.keys(traits).length === 0) return <>none</>;
  return (
    <details className={classes['details']}>
      <summary>{brief(traits)}</summary>
      <JsonView text={JSON.stringify(traits)} label={`traits of ${shortened(id)}`} height={240} />
    </details>
  );
}
