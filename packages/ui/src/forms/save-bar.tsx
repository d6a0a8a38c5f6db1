import { Button, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { ErrorState } from '../components/error-state.tsx';

interface SaveBarProps {
  /** On the button: `Save the name`. */
  readonly action: string;
  readonly dirty: boolean;
  readonly busy: boolean;
  /** What belongs to no field; null when there is nothing. */
  readonly refusal: unknown;
  readonly onReset: () => void;
}

/** The end of a form that edits what is there: its error, save, and back to what was. */
export function SaveBar({ action, dirty, busy, refusal, onReset }: SaveBarProps): ReactElement {
  return (
    <>
      {refusal !== null && <ErrorState error={refusal} />}
      <Group gap="xs">
        <Button type="submit" disabled={!dirty} loading={busy}>
          {action}
        </Button>
        {dirty && (
          <Button variant="default" onClick={onReset} disabled={busy}>
            Discard
          </Button>
        )}
      </Group>
    </>
  );
}
