import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';

/** Switching on is harmless; switching off asks first, since clients lose what they send then. */
export function SourceSwitch({ source: { id, name, enabled } }: { readonly source: Source }): ReactElement {
  const mayChange = useMayChange();
  const update = useMutation(sourcesApi.update());
  const [asking, { open, close }] = useDisclosure(false);
  const switchOn = (): void =>
    update.mutate({ id, enabled: true }, { onError: notifyFailed(`“${name}” was not switched on`) });
  return (
    <>
      <Switch
        label={enabled ? 'On' : 'Off'}
        aria-label={`Take calls of ${name}`}
        checked={enabled}
        disabled={!mayChange || update.isPending}
        title={mayChange ? undefined : 'Only an admin may switch a source on or off'}
        onChange={() => (enabled ? open() : switchOn())}
      />
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Switch off “${name}”?`}
        action="Switch off"
        onConfirm={() => update.mutateAsync({ id, enabled: false })}
      >
        Its calls are rejected (<code>source_disabled</code>) until it is on again, and most clients don't send them a
        second time. What was accepted before is still delivered.
      </ConfirmDialog>
    </>
  );
}
