import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type ReactElement, useContext, useLayoutEffect } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { HoldDialog } from '../../forms/form-dialog.tsx';

interface ShownOnceProps {
  /** A link or a token that can't be read again. */
  readonly value: string;
  readonly label: string;
  /** `the link` */
  readonly of: string;
  readonly description: string;
  readonly onClose: () => void;
}

/** The end of a dialog that made a secret. The secret disappears with the dialog, which only the button here closes. */
export function ShownOnce({ value, label, of, description, onClose }: ShownOnceProps): ReactElement {
  const hold = useContext(HoldDialog);
  useLayoutEffect(() => {
    hold(true);
    return () => hold(false);
  }, [hold]);
  return (
    <Stack gap="md">
      <Textarea
        label={label}
        description={description}
        value={value}
        readOnly
        autosize
        data-autofocus
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <Group justify="flex-end" gap="xs">
        <CopyButton value={value} of={of} wide />
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
