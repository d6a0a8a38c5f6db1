import { Code } from '@mantine/core';
import { IconId } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Person, PersonTrait } from '../../../../server/src/admin/contract.ts';
import { type Column, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Time } from '../../components/time.tsx';
import { beginningOf, shortened } from '../../format/shortened.ts';
import classes from './person.module.css';

const COLUMNS: readonly Column<PersonTrait>[] = [
  { header: 'Trait', width: '30%', cell: ({ name }) => name },
  { header: 'Value', cell: ({ value }) => <ValueView value={value} /> },
  { header: 'Said', width: '140px', cell: ({ at }) => <Time at={at} /> },
];

/** The traits from identify calls, each with its newest value. */
export function PersonTraits({ person }: { readonly person: Person }): ReactElement {
  return (
    <TableSection
      id="traits"
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
  );
}

type Group = Person['groups'][number];

const GROUP_COLUMNS: readonly Column<Group>[] = [
  { header: 'Group', width: '30%', cell: ({ id }) => shortened(id) },
  { header: 'Traits of the group', cell: (group) => <GroupTraits {...group} /> },
];

/** The person's groups with their traits. Renders nothing if there are none. */
export function PersonGroups({ groups }: { readonly groups: readonly Group[] }): ReactElement | null {
  if (groups.length === 0) return null;
  return <TableSection id="groups" label="Groups" columns={GROUP_COLUMNS} rows={groups} />;
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

/** Longest value that is shown without a scroll bar, characters. */
const LONG = 500;

/** A value from calls: a text as it is, anything else as JSON, so that the number `12` and the text “12” differ. */
export function ValueView({ value }: { readonly value: unknown }): ReactElement {
  const isText = typeof value === 'string' && value.trim() !== '';
  const text = isText ? value : JSON.stringify(value);
  const wrapped = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
  if (text.length > LONG)
    return (
      <Code block mah={120} tabIndex={0} style={wrapped}>
        {text}
      </Code>
    );
  return isText ? <span>{text}</span> : <Code style={wrapped}>{text}</Code>;
}

/** Most characters of properties that are shown in their line. */
const LONGEST = 120;

/** `total: 9.5 · currency: EUR`: the fields of an object in one line. */
export function brief(object: Readonly<Record<string, unknown>>): string {
  const line = Object.entries(object)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
  return beginningOf(line, LONGEST);
}
