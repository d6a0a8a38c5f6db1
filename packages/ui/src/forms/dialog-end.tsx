import { Button, Group } from '@mantine/core';
import { type ReactElement, use, useEffect } from 'react';
import { ErrorState } from '../components/error-state.tsx';
import { DialogBusy } from './form-dialog.tsx';

interface DialogEndProps {
  /** On the button: `Create`. */
  readonly action: string;
  readonly busy: boolean;
  /** What belongs to no field; null when there is nothing. */
  readonly refusal: unknown;
  /** Absent where there is no way back. */
  readonly onCancel?: (() => void) | undefined;
}

/** The end of a form that makes something: its error, the way back, and the button that makes it. */
export function DialogEnd({ action, busy, refusal, onCancel }: DialogEndProps): ReactElement {
  const tell = use(DialogBusy);
  useEffect(() => {
    tell(busy);
    return () => tell(false);
  }, [tell, busy]);
  return (
    <>
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
    </>
  );
}
