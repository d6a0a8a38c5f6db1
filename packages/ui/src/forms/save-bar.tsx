import { Button, Group, Stack } from '@mantine/core';
import { type ReactElement, useRef } from 'react';
import { ErrorState } from '../components/error-state.tsx';
import { IdleButton } from '../components/idle-button.tsx';
import { useMayChange } from '../shell/session.ts';
import { ConflictNote } from './conflict-note.tsx';
import classes from './save-bar.module.css';
import type { EditForm } from './use-edit-form.ts';

interface SaveBarProps {
  /** On the button: `Save settings`. */
  readonly action: string;
  readonly edit: Omit<EditForm<never>, 'form' | 'save'>;
}

/**
 * The end of a form that edits what is there: what others changed, its error, save, and back to what was. The error stays where
 * it says that the role does not allow the change any more. It and the buttons stay in sight while the form is longer than the screen.
 */
export function SaveBar({ action, edit }: SaveBarProps): ReactElement {
  const { dirty, busy, refusal, reset } = edit;
  const mayChange = useMayChange();
  const save = useRef<HTMLButtonElement>(null);
  // The button goes with what it discards.
  const discard = (): void => {
    save.current?.focus();
    reset();
  };
  return (
    <>
      <ConflictNote {...edit} />
      {(refusal !== null || mayChange) && (
        <Stack gap="xs" className={classes['bar'] ?? ''}>
          {refusal !== null && <ErrorState error={refusal} />}
          {mayChange && (
            <Group gap="xs">
              <IdleButton type="submit" ref={save} idle={!dirty || edit.conflict !== null} loading={busy}>
                {action}
              </IdleButton>
              {dirty && (
                <Button variant="default" onClick={discard} disabled={busy}>
                  Discard
                </Button>
              )}
            </Group>
          )}
        </Stack>
      )}
    </>
  );
}
