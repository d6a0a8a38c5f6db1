import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { DialogForm, FormDialog } from '../forms/form-dialog.tsx';

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question, with the name of the thing: `Delete the source “Web shop”?` */
  readonly title: string;
  /** What is lost by it. */
  readonly children: ReactNode;
  /** On the button: `Delete the source`. */
  readonly action: string;
  /** For what can't be undone: a text to be typed first, the thing's name. */
  readonly typeFirst?: string;
  /** Closes the dialog when it resolves; what it throws is shown. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something is destroyed, and names it: until it is out of sight, also when the thing is gone before that. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const [asked, setAsked] = useState(props);
  if (props.opened && asked !== props) setAsked(props);
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={asked.title} size="md">
      <Question {...asked} />
    </FormDialog>
  );
}

/** Begins anew each time that the dialog opens. */
function Question({ onClose, children, action, typeFirst, onConfirm }: ConfirmDialogProps): ReactElement {
  const [typed, setTyped] = useState('');
  const { mutate, isPending, error } = useMutation({ mutationFn: onConfirm, onSuccess: onClose, gcTime: 0 });
  const isTyped = typeFirst === undefined || typed.trim() === typeFirst.trim();
  const confirm = (event: FormEvent): void => {
    event.preventDefault();
    mutate();
  };
  return (
    <DialogForm
      onSubmit={confirm}
      action={action}
      busy={isPending}
      refusal={error}
      onCancel={onClose}
      back={{ variant: 'filled', ...(typeFirst === undefined && { 'data-autofocus': true }) }}
      submit={{ variant: 'outline', color: 'red', disabled: !isTyped }}
    >
      <Text component="div">{children}</Text>
      {typeFirst !== undefined && (
        <TextInput
          label={`Type “${typeFirst}” to go on`}
          styles={{ label: { overflowWrap: 'anywhere' } }}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          data-autofocus
        />
      )}
    </DialogForm>
  );
}
