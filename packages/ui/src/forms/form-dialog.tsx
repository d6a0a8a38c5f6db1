import { Button, type ButtonProps, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import { type ComponentProps, createContext, type ReactElement, type ReactNode, use, useEffect, useState } from 'react';
import { ErrorState } from '../components/error-state.tsx';

const DialogBusy = createContext<(busy: boolean) => void>(() => undefined);

/** Tells the dialog around a form whether its call is under way. */
function useDialogBusy(busy: boolean): void {
  const tell = use(DialogBusy);
  useEffect(() => {
    tell(busy);
    return () => tell(false);
  }, [tell, busy]);
}

/** A dialog with a DialogForm in it: what was sent is waited for, since only the form shows its answer. */
export function FormDialog({ onClose, children, title, ...props }: ModalProps): ReactElement {
  const [busy, setBusy] = useState(false);
  return (
    <Modal {...props} title={typeof title === 'string' ? isolated(title) : title} onClose={() => busy || onClose()}>
      <DialogBusy value={setBusy}>{children}</DialogBusy>
    </Modal>
  );
}

interface DialogFormProps extends Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> {
  /** On the button: `Create`. */
  readonly action: string;
  readonly busy: boolean;
  /** What belongs to no field; null when there is nothing. */
  readonly refusal: unknown;
  /** Absent where there is no way back. */
  readonly onCancel?: (() => void) | undefined;
  /** How the two buttons differ from those of a form that makes something. */
  readonly back?: ButtonProps & { readonly 'data-autofocus'?: true | undefined };
  readonly submit?: ButtonProps;
}

/** A form in a dialog. It ends with its error, the way back, and the button that sends it. */
export function DialogForm(props: DialogFormProps): ReactElement {
  const { onSubmit, children, action, busy, refusal, onCancel, back, submit } = props;
  useDialogBusy(busy);
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        {children}
        {refusal !== null && <ErrorState error={refusal} />}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel} disabled={busy} {...back}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={busy} {...submit}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A quoted name may turn the direction of writing: no word around it is turned. */
function isolated(title: string): ReactNode {
  const [, before, name, after] = /^([^“]*)(“.*”)([^”]*)$/s.exec(title) ?? [];
  if (name === undefined) return title;
  return (
    <>
      {before}
      <bdi>{name}</bdi>
      {after}
    </>
  );
}
