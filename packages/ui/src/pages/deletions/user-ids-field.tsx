import { Group, Select, Stack, Text, Textarea } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { ChooseFile } from '../../components/choose-file.tsx';
import { count, many } from '../../format/number.ts';
import { type LineFlaw, MAX_USERS, type Table, type UserIds } from './user-ids.ts';

interface UserIdsFieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  /** The table that the text was read as; null for a list. */
  readonly table: Table | null;
  /** Index of the chosen column; null while none is chosen; `whole` if each line is one id although it looks like a table. */
  readonly column: number | 'whole' | null;
  readonly onColumn: (column: number | 'whole' | null) => void;
  readonly read: UserIds;
  readonly flaws: readonly LineFlaw[];
  /** The form's error besides the errors of lines. */
  readonly error: ReactNode;
}

/** Errors shown; further ones are only counted. */
const SHOWN_FLAWS = 5;

/** The users to delete: a list or a table, pasted or from a file. Counts them while the text changes. */
export function UserIdsField(props: UserIdsFieldProps): ReactElement {
  const { text, onText, table, column, onColumn, read, flaws, error } = props;
  return (
    <Stack gap="sm">
      <Textarea
        label="User ids"
        description="One on each line, exactly as your calls give them; upper and lower case matter. A CSV table works as well."
        placeholder={'u-4711\nu-4712'}
        required
        autosize
        minRows={5}
        maxRows={16}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
        error={flaws.length > 0 ? <Flaws flaws={flaws} /> : error}
      />
      {table && (
        <Select
          label="Column with the user ids"
          description="The text reads as a table."
          placeholder="Choose a column"
          maw={380}
          data={[
            { value: 'whole', label: 'No table: each whole line is a user id' },
            ...table.columns.map((name, i) => ({ value: String(i), label: name || `Column ${i + 1}` })),
          ]}
          searchable
          allowDeselect={false}
          value={column === null ? null : String(column)}
          onChange={(chosen) => onColumn(chosen === null ? null : chosen === 'whole' ? 'whole' : Number(chosen))}
        />
      )}
      <Group gap="sm" justify="space-between">
        <Text role="status" c={read.ids.length > MAX_USERS ? 'var(--millrace-bad)' : 'inherit'}>
          {table && column === null ? 'Choose the column to count the users.' : countInWords(read)}
        </Text>
        <ChooseFile accept=".csv,.tsv,.txt,text/csv,text/plain,text/tab-separated-values" onText={onText} />
      </Group>
    </Stack>
  );
}

function countInWords({ ids, duplicates, heading }: UserIds): string {
  const parts = [ids.length === 0 ? 'No user yet.' : `${many(ids.length, 'user')}.`];
  if (duplicates > 0) parts.push(`${many(duplicates, 'repetition')} left out.`);
  if (heading !== null) parts.push(`The first line, “${heading}”, is taken as a name.`);
  if (ids.length > MAX_USERS) parts.push(`${count(MAX_USERS)} are the most for one request: split the list.`);
  return parts.join(' ');
}

function Flaws({ flaws }: { readonly flaws: readonly LineFlaw[] }): ReactElement {
  return (
    <>
      {flaws.slice(0, SHOWN_FLAWS).map(({ line, message }) => (
        <span key={line} style={{ display: 'block' }}>
          Line {count(line)}: {message}.
        </span>
      ))}
      {flaws.length > SHOWN_FLAWS && (
        <span style={{ display: 'block' }}>{count(flaws.length - SHOWN_FLAWS)} more lines are wrong.</span>
      )}
    </>
  );
}
