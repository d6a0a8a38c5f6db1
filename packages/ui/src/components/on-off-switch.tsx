import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type UseMutationOptions, useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { useMayChange } from '../shell/session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { notifyFailed } from './notify.ts';

interface Switched {
  readonly id: string;
  readonly revision: number;
  readonly enabled: boolean;
}

interface OnOffSwitchProps<Answer> {
  readonly of: Switched & { readonly name: string };
  readonly update: UseMutationOptions<Answer, Error, Switched>;
  /** The kind of thing, with its article: `a source`. */
  readonly kind: string;
  /** What the thing does while it is on, for screen readers. */
  readonly label: string;
  /** What switching off means. */
  readonly children: ReactNode;
}

/** Switches on at once. Asks before switching off. */
export function OnOffSwitch<Answer>(props: OnOffSwitchProps<Answer>): ReactElement {
  const { of, update, kind, label, children } = props;
  const { id, revision, name, enabled } = of;
  const { mutateAsync, isPending } = useMutation(update);
  const turn = (on: boolean): Promise<unknown> => mutateAsync({ id, revision, enabled: on });
  const mayChange = useMayChange();
  const [asking, { open, close }] = useDisclosure(false);
  const switchOn = (): void => void turn(true).catch(notifyFailed(`“${name}” was not switched on`));
  return (
    <>
      <Switch
        label={enabled ? 'On' : 'Off'}
        aria-label={label}
        checked={enabled}
        disabled={!mayChange || isPending}
        title={mayChange ? undefined : `Only an admin may switch ${kind} on or off`}
        onChange={() => (enabled ? open() : switchOn())}
      />
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Switch off “${name}”?`}
        action="Switch off"
        onConfirm={() => turn(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
