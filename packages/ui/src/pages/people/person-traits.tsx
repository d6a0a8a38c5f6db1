import { IconId } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Person, PersonTrait } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
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
