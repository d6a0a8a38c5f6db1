import { Button, type ButtonProps, Group, Modal, type ModalProps, Stack } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type ComponentProps, type Context, createContext, type ReactElement, type ReactNode, useState } from 'react';
import { ErrorState } from '../components/error-state.tsx';
import { OF_FORMS } from './use-submit.ts';

/** Tells the dialog around a component whether only the component's own button closes it. */
export const HoldDialog: Context<(isHeld: boolean) => void> = createContext<(isHeld: boolean) => void>(() => undefined);

/**
 * A dialog with a DialogForm. It can't be closed while the form's call is running, because only the form shows the answer.
 * While it closes, its content takes no second click.
 */
export function FormDialog({ onClose, title, children, ...props }: ModalProps): ReactElement {
  const client = useQueryClient();
  const [isHeld, hold] = useState(false);
  const close = (): void => {
    if (client.isMutating({ mutationKey: OF_FORMS }) === 0) onClose();
  };
  return (
    <Modal
      {...props}
      title={typeof title === 'string' ? isolated(title) : title}
      onClose={close}
      closeOnClickOutside={!isHeld}
      closeOnEscape={!isHeld}
      withCloseButton={!isHeld}
    >
      <div inert={!props.opened}>
        <HoldDialog value={hold}>{children}</HoldDialog>
      </div>
    </Modal>
  );
}

interface DialogFormProps extends Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> {
  /** Text of the submit button: `Create`. */
  readonly action: string;
  readonly busy: boolean;
  /** The error that belongs to no field; null if there is none. */
  readonly refusal: unknown;
  /** Absent if the dialog can't be cancelled. */
  readonly onCancel?: (() => void) | undefined;
  /** Props that change the two buttons, for a form that does not create something. */
  readonly back?: ButtonProps & { readonly 'data-autofocus'?: true | undefined };
  readonly submit?: ButtonProps;
}

/** A form in a dialog. Its error, the cancel button and the submit button are at its end. */
export function DialogForm(props: DialogFormProps): ReactElement {
  const { onSubmit, children, action, busy, refusal, onCancel, back, submit } = props;
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

/** Isolates a quoted name, which may change the writing direction of the words around it. */
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
