import { Button, Group, Stack } from '@mantine/core';
import type { ComponentProps, ReactElement } from 'react';
import { ErrorState } from '../components/error-state.tsx';
import { useDialogBusy } from './form-dialog.tsx';

interface DialogFormProps extends Pick<ComponentProps<'form'>, 'onSubmit' | 'children'> {
  /** On the button: `Create`. */
  readonly action: string;
  readonly busy: boolean;
  /** What belongs to no field; null when there is nothing. */
  readonly refusal: unknown;
  /** Absent where there is no way back. */
  readonly onCancel?: (() => void) | undefined;
}

/** A form that makes something. It ends with its error, the way back, and the button that makes it. */
export function DialogForm({ onSubmit, children, action, busy, refusal, onCancel }: DialogFormProps): ReactElement {
  useDialogBusy(busy);
  return (
    <form onSubmit={onSubmit}>
      <Stack gap="md">
        {children}
        {refusal !== null && <ErrorState error={refusal} />}
        <Group justify="flex-end" gap="xs">
          {onCancel && (
            <Button variant="default" onClick={onCancel} disabled={busy}>
              Cancel
            </Button>
          )}
          <Button type="submit" loading={busy}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
