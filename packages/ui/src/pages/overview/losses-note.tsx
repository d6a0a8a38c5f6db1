import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Loss } from '../../../../server/src/admin/contract.ts';
import { lossesApi } from '../../api/losses.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

/** Events that were confirmed and then lost. Shown until an admin acknowledges it. */
export function LossesNote(): ReactElement | null {
  const { data, error, refetch } = useQuery(lossesApi.list());
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const open = data?.items.filter(({ notedAt }) => notedAt === null) ?? [];
  if (open.length === 0) return null;
  return (
    <Stack gap="sm" mb="sm">
      {open.map((loss) => (
        <LossNote key={loss.id} loss={loss} />
      ))}
    </Stack>
  );
}

function LossNote({ loss: { id, events, what, foundAt } }: { readonly loss: Loss }): ReactElement {
  const mayChange = useMayChange();
  const note = useMutation(lossesApi.note());
  const title = events === 0 ? 'Data is missing' : `At least ${count(events)} events that were confirmed are gone`;
  return (
    <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={title}>
      <Text style={{ overflowWrap: 'anywhere' }}>
        Found <Time at={foundAt} absolute />: {what}. {events > 0 && 'What waited of them counts as failed. '}A backup
        brings back what it has, and not what came after it. Senders that still have the calls can send them again under
        other messageIds.
      </Text>
      {note.error && <ErrorState error={note.error} />}
      {mayChange && (
        <Group mt="sm">
          <Button size="xs" variant="default" loading={note.isPending} onClick={() => note.mutate(id)}>
            I have taken note
          </Button>
        </Group>
      )}
    </Alert>
  );
}
