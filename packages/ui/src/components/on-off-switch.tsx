import { Switch } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactElement, ReactNode } from 'react';
import { useMayChange } from '../shell/session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { notifyFailed } from './notify.ts';

interface OnOffSwitchProps {
  readonly of: { readonly name: string; readonly enabled: boolean };
  /** What is switched, as a sentence has it: `a source`. */
  readonly kind: string;
  /** What it does while it is on, for those who don't see what stands around it. */
  readonly label: string;
  readonly busy: boolean;
  /** What it throws is shown. */
  readonly onSwitch: (enabled: boolean) => Promise<unknown>;
  /** What switching off costs. */
  readonly children: ReactNode;
}

/** Switching on is harmless; switching off asks first. */
export function OnOffSwitch({ of, kind, label, busy, onSwitch, children }: OnOffSwitchProps): ReactElement {
  const { name, enabled } = of;
  const mayChange = useMayChange();
  const [asking, { open, close }] = useDisclosure(false);
  const switchOn = (): void => void onSwitch(true).catch(notifyFailed(`“${name}” was not switched on`));
  return (
    <>
      <Switch
        label={enabled ? 'On' : 'Off'}
        aria-label={label}
        checked={enabled}
        disabled={!mayChange || busy}
        title={mayChange ? undefined : `Only an admin may switch ${kind} on or off`}
        onChange={() => (enabled ? open() : switchOn())}
      />
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Switch off “${name}”?`}
        action="Switch off"
        onConfirm={() => onSwitch(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
