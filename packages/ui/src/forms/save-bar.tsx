import { Button, Group, Stack } from '@mantine/core';
import { type ReactElement, useRef } from 'react';
import { ErrorState } from '../components/error-state.tsx';
import { IdleButton } from '../components/idle-button.tsx';
import { useMayChange } from '../shell/session.ts';
import { ConflictNote } from './conflict-note.tsx';
import classes from './save-bar.module.css';
import type { EditForm } from './use-edit-form.ts';

interface SaveBarProps {
  /** Text of the submit button: `Save settings`. */
  readonly action: string;
  readonly edit: Omit<EditForm<never>, 'form' | 'save'>;
}

/**
 * The end of a form that edits an existing thing: what others changed, the error, the save button and the discard button.
 * The error stays if it says that the role no longer allows the change. If the form is longer than the screen, the bar
 * stays visible.
 */
export function SaveBar({ action, edit }: SaveBarProps): ReactElement {
  const { dirty, busy, refusal, reset } = edit;
  const mayChange = useMayChange();
  const save = useRef<HTMLButtonElement>(null);
  // The discard button disappears with the changes.
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
