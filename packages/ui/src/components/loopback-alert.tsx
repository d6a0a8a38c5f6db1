import { Alert, Group, Text } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Loopback } from '../../../server/src/admin/contract.ts';
import { loopbackApi } from '../api/loopback.ts';
import { useMayChange } from '../shell/session.ts';
import { ConfirmButton } from './confirm-button.tsx';

/** Says that webhooks may go to the machine of the service, or how an admin allows it. */
export function LoopbackAlert({ allowed, held }: Loopback): ReactElement {
  const mayChange = useMayChange();
  const allow = useMutation(loopbackApi.allow());
  const icon = <IconDeviceDesktop aria-hidden />;
  if (allowed) {
    return (
      <Alert color="blue" icon={icon} title="Webhooks may go to this machine">
        Until the service ends. After that, destinations here hold their events until it is allowed again.
      </Alert>
    );
  }
  const title =
    held === 0
      ? 'Webhooks can’t go to this machine'
      : `${held} ${held === 1 ? 'destination waits' : 'destinations wait'}`;
  return (
    <Alert color={held === 0 ? 'blue' : 'yellow'} icon={icon} title={title}>
      <Text>
        {held === 0
          ? 'The service sends to public addresses only. For a trial, it can be allowed to send to this machine (127.0.0.1, localhost) until it ends.'
          : 'Sending to this machine was allowed until the last stop. The events of these destinations are held; no retry window runs meanwhile.'}
      </Text>
      {mayChange && (
        <Group mt="sm">
          <ConfirmButton
            label="Allow this machine"
            button={{ size: 'xs' }}
            title="Let webhooks go to this machine until the service ends?"
            action="Allow this machine"
            onConfirm={() => allow.mutateAsync()}
          >
            Everyone who can create a destination reaches what listens on this machine’s own addresses. It is written to
            the audit log.
          </ConfirmButton>
        </Group>
      )}
    </Alert>
  );
}
