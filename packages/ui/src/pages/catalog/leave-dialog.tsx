import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import type { ReactElement } from 'react';

/** Asks before what was entered is lost: by a link, by the browser's buttons, and by closing the tab. */
export function LeaveDialog({ when }: { readonly when: () => boolean }): ReactElement {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && when(),
    enableBeforeUnload: when,
    withResolver: true,
  });
  const isOpen = status === 'blocked';
  return (
    <Modal opened={isOpen} onClose={() => reset?.()} title="Leave without the destination?">
      <Stack gap="md">
        <Text size="sm">What you entered is not saved, the shared secret too. A source that you created stays.</Text>
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
