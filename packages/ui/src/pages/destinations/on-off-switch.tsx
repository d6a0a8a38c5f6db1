import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { count } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';

interface OnOffSwitchProps {
  readonly destination: Destination;
  /** How many events wait for it now. */
  readonly waiting: number;
}

/** Switching on is harmless; switching off asks first, since what waits is not delivered then. */
export function OnOffSwitch({ destination: { id, name, enabled }, waiting }: OnOffSwitchProps): ReactElement {
  const mayChange = useMayChange();
  const update = useMutation(destinationsApi.update());
  const [asking, { open, close }] = useDisclosure(false);
  const switchOn = (): void =>
    update.mutate({ id, enabled: true }, { onError: notifyFailed(`“${name}” was not switched on`) });
  return (
    <>
      <Switch
        label={enabled ? 'On' : 'Off'}
        aria-label={`Deliver to ${name}`}
        checked={enabled}
        disabled={!mayChange || update.isPending}
        title={mayChange ? undefined : 'Only an admin may switch a destination on or off'}
        onChange={() => (enabled ? open() : switchOn())}
      />
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Switch off “${name}”?`}
        action="Switch off"
        onConfirm={() => update.mutateAsync({ id, enabled: false })}
      >
        {waiting > 0 && `${count(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'} for it. `}
        What waits and what comes is recorded as filtered, not delivered, until it is on again. A replay of all events
        can bring it back later.
      </ConfirmDialog>
    </>
  );
}
