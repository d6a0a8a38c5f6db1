import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, type ReactNode, useState } from 'react';
import { ErrorState } from './error-state.tsx';

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
  const [busy, setBusy] = useState(false);
  if (props.opened && asked !== props) setAsked(props);
  // What was confirmed happens: its answer is waited for.
  const leave = (): void => {
    if (!busy) props.onClose();
  };
  return (
    <Modal opened={props.opened} onClose={leave} title={asked.title} size="md">
      <Question {...asked} busy={busy} setBusy={setBusy} />
    </Modal>
  );
}

/** Begins anew each time that the dialog opens. */
function Question({
  onClose,
  children,
  action,
  typeFirst,
  onConfirm,
  busy,
  setBusy,
}: ConfirmDialogProps & { readonly busy: boolean; readonly setBusy: (busy: boolean) => void }): ReactElement {
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<unknown>(null);

  const confirm = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      onClose();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void confirm(event)}>
      <Stack gap="md">
        <Text component="div">{children}</Text>
        {typeFirst !== undefined && (
          <TextInput
            label={`Type “${typeFirst}” to go on`}
            styles={{ label: { overflowWrap: 'anywhere' } }}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
        )}
        {error !== null && <ErrorState error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button onClick={onClose} disabled={busy} data-autofocus={typeFirst === undefined || undefined}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="outline"
            color="red"
            loading={busy}
            disabled={typeFirst !== undefined && typed.trim() !== typeFirst.trim()}
          >
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
