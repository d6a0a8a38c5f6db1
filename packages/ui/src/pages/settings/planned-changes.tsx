import { Code, Stack, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { PlannedChange } from '../../../../server/src/admin/contract.ts';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import classes from './planned-changes.module.css';

const TONES: Readonly<Record<PlannedChange['action'], Tone>> = { create: 'good', update: 'busy', delete: 'bad' };

/** In the order that they would be made. */
export function PlannedChanges({ changes }: { readonly changes: readonly PlannedChange[] }): ReactElement {
  return (
    <ol className={classes['changes']}>
      {changes.map(({ action, type, name, values }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a plan never changes its order, and two of its changes may have one name.
        <li key={i}>
          <Stack gap={6}>
            <Text component="div">
              <StatusBadge tone={TONES[action]}>{action}</StatusBadge> {type} <b>{name}</b>
            </Text>
            {action !== 'delete' && values.length > 0 && (
              <div className={classes['values']}>
                <Table
                  withRowBorders={false}
                  verticalSpacing={2}
                  horizontalSpacing="xs"
                  aria-label={`${action} ${name}`}
                >
                  <Table.Tbody>
                    {values.map(({ field, from, to }) => (
                      <Table.Tr key={field}>
                        <Table.Th scope="row" fw={400}>
                          <Text variant="aside" ff="monospace">
                            {field}
                          </Text>
                        </Table.Th>
                        <Table.Td>
                          {action === 'update' && <Value value={from} />}
                          {action === 'update' && ' → '}
                          <Value value={to} />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </div>
            )}
          </Stack>
        </li>
      ))}
    </ol>
  );
}

function Value({ value }: { readonly value: string | null }): ReactElement {
  if (value === null) {
    return (
      <Text span variant="aside">
        nothing
      </Text>
    );
  }
  return <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>;
}
