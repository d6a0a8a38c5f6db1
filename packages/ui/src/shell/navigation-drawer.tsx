import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { Navigation } from './navigation.tsx';

interface NavigationDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The navigation on a narrow screen. */
export function NavigationDrawer({ opened, onClose }: NavigationDrawerProps): ReactElement {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      title="Millrace"
      size={280}
      closeButtonProps={{ 'aria-label': 'Close the navigation' }}
    >
      <nav aria-label="Main">
        <Navigation />
      </nav>
    </Drawer>
  );
}
