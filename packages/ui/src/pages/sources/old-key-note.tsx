import { Alert, Group, Text } from '@mantine/core';
import { IconClock } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OldKey, Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { useNow } from '../../components/clock.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { Time } from '../../components/time.tsx';
import { duration } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

interface OldKeyNoteProps {
  readonly source: Source;
  readonly oldKey: OldKey;
}

/** The key before the last rotation, until its time is over or a user ends it. */
export function OldKeyNote({ source, oldKey }: OldKeyNoteProps): ReactElement | null {
  const mayChange = useMayChange();
  const drop = useMutation(sourcesApi.dropOldKey());
  const left = Date.parse(oldKey.until) - useNow();
  if (left <= 0) return null;
  return (
    <Alert color="yellow" icon={<IconClock aria-hidden />} title="The old key is still taken">
      <Text style={{ overflowWrap: 'anywhere' }}>
        <code>{oldKey.writeKey}</code> works until <Time at={oldKey.until} absolute />, for {duration(left)} more. Move
        every client to the new key before.
      </Text>
      {mayChange && (
        <Group mt="sm">
          <ConfirmButton
            label="Stop taking it now"
            button={{ size: 'xs' }}
            title={`Stop taking the old key of “${source.name}”?`}
            action="Stop taking the old key"
            onConfirm={() => drop.mutateAsync({ id: source.id, revision: source.revision })}
          >
            Calls of clients that still send <code>{oldKey.writeKey}</code> are refused from now on. It can't be brought
            back.
          </ConfirmButton>
        </Group>
      )}
    </Alert>
  );
}
