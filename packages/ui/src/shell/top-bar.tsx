import { Badge, Burger } from '@mantine/core';
import type { ReactElement } from 'react';
import { AccountMenu } from './account-menu.tsx';
import { ColorSchemeMenu } from './color-scheme-menu.tsx';
import { SearchField } from './search-field.tsx';
import classes from './shell.module.css';
import { Wordmark } from './wordmark.tsx';

interface TopBarProps {
  /** Is the navigation open, where it is a drawer. */
  readonly opened: boolean;
  readonly onOpen: () => void;
  readonly onShortcuts: () => void;
}

export function TopBar({ opened, onOpen, onShortcuts }: TopBarProps): ReactElement {
  return (
    <header className={classes['top']}>
      <Burger
        opened={opened}
        onClick={onOpen}
        hiddenFrom="sm"
        size="sm"
        aria-label="Open the navigation"
        aria-expanded={opened}
      />
      <Wordmark />
      <Badge className={classes['host'] ?? ''} tt="none" fw={600} maw="40vw" mr="auto">
        {window.location.host}
      </Badge>
      <SearchField />
      <ColorSchemeMenu />
      <AccountMenu onShortcuts={onShortcuts} />
    </header>
  );
}
