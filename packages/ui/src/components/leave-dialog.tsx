import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';

interface LeaveDialogProps {
  /** Whether there is unsaved input now. */
  readonly when: () => boolean;
  /** `Leave without the destination?` */
  readonly title: string;
  /** What will be lost, and what stays. Default: says that the input is not saved. */
  readonly children?: ReactNode;
}

/** Asks before unsaved input is lost by a link, by the browser's buttons, or by closing the tab. */
export function LeaveDialog({
  when,
  title,
  children = 'What you changed is not saved.',
}: LeaveDialogProps): ReactElement {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && when(),
    enableBeforeUnload: when,
    withResolver: true,
  });
  const isOpen = status === 'blocked';
  return (
    <Modal opened={isOpen} onClose={() => reset?.()} title={title}>
      <Stack gap="md">
        <Text>{children}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => proceed?.()}>
            Leave
          </Button>
          <Button onClick={() => reset?.()} data-autofocus>
            Stay here
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
