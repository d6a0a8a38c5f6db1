import { Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { DialogForm, FormDialog } from '../forms/form-dialog.tsx';
import { OF_FORMS } from '../forms/use-submit.ts';

interface ConfirmDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** The question, with the name of the thing: `Delete the source “Web shop”?` */
  readonly title: string;
  /** What will be lost. */
  readonly children: ReactNode;
  /** Text of the button: `Delete the source`. */
  readonly action: string;
  /** A text that must be typed first, the thing's name, for an action that can't be undone. */
  readonly typeFirst?: string;
  /** The dialog closes when it resolves, and shows its error when it rejects. */
  readonly onConfirm: () => Promise<unknown>;
}

/** Asks before something is destroyed, and names it. Keeps its texts until it has faded out, even if the thing is gone before. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const [asked, setAsked] = useState(props);
  if (props.opened && asked !== props) setAsked(props);
  return (
    <FormDialog opened={props.opened} onClose={props.onClose} title={asked.title} size="md">
      <Question {...asked} />
    </FormDialog>
  );
}

/** The content of the dialog. Its field is empty each time the dialog opens. */
function Question({ onClose, children, action, typeFirst, onConfirm }: ConfirmDialogProps): ReactElement {
  const [typed, setTyped] = useState('');
  const { mutate, isPending, error } = useMutation({
    mutationKey: OF_FORMS,
    mutationFn: onConfirm,
    onSuccess: onClose,
    gcTime: 0,
  });
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
