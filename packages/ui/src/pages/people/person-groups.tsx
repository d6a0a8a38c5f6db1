import type { ReactElement } from 'react';
import type { Person } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { shortened } from '../../format/shortened.ts';
import { brief } from './brief.ts';
import classes from './person.module.css';

type Group = Person['groups'][number];

const COLUMNS: readonly Column<Group>[] = [
  { header: 'Group', width: '30%', cell: ({ id }) => shortened(id) },
  { header: 'Traits of the group', cell: (group) => <GroupTraits {...group} /> },
];

/** The groups the person was put into, with what is known of them; left out where there is none. */
export function PersonGroups({ groups }: { readonly groups: readonly Group[] }): ReactElement | null {
  if (groups.length === 0) return null;
  return (
    <Section id="groups" title="Groups">
      <DataTable label="Groups" columns={COLUMNS} rows={groups} rowKey={({ id }) => id} empty={null} />
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
