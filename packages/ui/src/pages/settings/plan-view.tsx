import { Alert, Card, Code, Group, List, Stack, Table, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { NewSettings, PlannedChange, SettingsPlan } from '../../../../server/src/admin/contract.ts';
import { settingsFileApi } from '../../api/settings-file.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { TextDiff } from '../../components/text-diff.tsx';
import { place } from '../../conditions/place.ts';
import { many } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

interface PlanViewProps {
  readonly wish: NewSettings;
  readonly plan: SettingsPlan;
  readonly onApplied: () => void;
  readonly onRefused: (error: unknown) => void;
}

/** The changes of a plan, in words and as a diff, and the button that applies them. */
export function PlanView({ wish, plan, onApplied, onRefused }: PlanViewProps): ReactElement {
  const { revision, changes, notes, uncompared, before, after } = plan;
  const mayChange = useMayChange();
  const apply = useMutation({ ...settingsFileApi.apply(), gcTime: 0 });
  const deleted = changes.filter(({ action }) => action === 'delete');
  const total = many(changes.length, 'change');
  const nothing = uncompared ? 'Nothing would change in what was compared' : 'Nothing would change';

  const confirm = async (): Promise<void> => {
    try {
      await apply.mutateAsync({ ...wish, revision });
      notifyDone(`Applied: ${total}.`);
      onApplied();
    } catch (error) {
      onRefused(error);
    }
  };

  return (
    <Card component="section" aria-labelledby="plan">
      <Stack gap="md">
        <Group justify="space-between">
          <Title id="plan">{changes.length === 0 ? nothing : `What would change: ${total}`}</Title>
          {changes.length > 0 && (
            <ConfirmButton
              label={`Apply ${total}`}
              button={{ variant: 'filled', idle: !mayChange, why: 'Only admins may apply a file' }}
              title={`Apply ${total}?`}
              action={`Apply ${total}`}
              onConfirm={confirm}
              {...(deleted.length > 0 && { typeFirst: `delete ${deleted.length}` })}
            >
              {deleted.length === 0 ? (
                'New settings take effect at once, for what waits for delivery too.'
              ) : (
                <>
                  <Text>These are deleted. Messages that wait for them are filtered, not sent:</Text>
                  <List size="sm" mt="xs">
                    {deleted.map(({ type, name }) => (
                      <List.Item key={`${type} ${name}`}>
                        {type} <b>{name}</b>
                      </List.Item>
                    ))}
                  </List>
                </>
              )}
            </ConfirmButton>
          )}
        </Group>
        {changes.length === 0 && notes.length === 0 && (
          <Alert color="teal" icon={<IconCircleCheck aria-hidden />}>
            Everything is as the file says.
          </Alert>
        )}
        {notes.length > 0 && (
          <Alert color="yellow" title="Notes">
            <List size="sm">
              {notes.map((note) => (
                <List.Item key={note}>{note}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        {changes.length > 0 && (
          <>
            <PlannedChanges changes={changes} />
            <TextDiff before={before} after={after} label="The set-up before and after" />
          </>
        )}
      </Stack>
    </Card>
  );
}

const TONES: Readonly<Record<PlannedChange['action'], Tone>> = { create: 'good', update: 'busy', delete: 'bad' };

const FIELD = { verticalAlign: 'baseline', overflowWrap: 'anywhere' } as const;

/** The changes, in the order in which they are made. */
function PlannedChanges({ changes }: { readonly changes: readonly PlannedChange[] }): ReactElement {
  return (
    <Stack component="ol" gap={14}>
      {changes.map(({ action, type, name, values }, i) => (
        // Two changes of a plan may have the same name.
        <li key={place(i)}>
          <Stack gap={6}>
            <Text component="div">
              <StatusBadge tone={TONES[action]}>{action}</StatusBadge> {type} <b>{name}</b>
            </Text>
            {action !== 'delete' && values.length > 0 && (
              <Table withRowBorders={false} verticalSpacing={2} horizontalSpacing="xs" aria-label={`${action} ${name}`}>
                <Table.Tbody>
                  {values.map(({ field, from, to }) => (
                    <Table.Tr key={field}>
                      <Table.Th scope="row" fw={400} w="30%" miw={110} style={FIELD}>
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
            )}
          </Stack>
        </li>
      ))}
    </Stack>
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
