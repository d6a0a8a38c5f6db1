import { ActionIcon, Badge, Burger, type MantineColorScheme, Menu, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconMoon, IconSun } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { AccountMenu } from './account-menu.tsx';
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

const SCHEMES = [
  { scheme: 'auto', label: 'As the system', icon: IconDeviceDesktop },
  { scheme: 'light', label: 'Light', icon: IconSun },
  { scheme: 'dark', label: 'Dark', icon: IconMoon },
] as const satisfies readonly { scheme: MantineColorScheme; label: string; icon: unknown }[];

/** Kept in this browser. */
function ColorSchemeMenu(): ReactElement {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const current = SCHEMES.find(({ scheme }) => scheme === colorScheme) ?? SCHEMES[0];
  return (
    <Menu withinPortal={false} position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon aria-label={`Colours: ${current.label}`}>
          <current.icon size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}>
          {SCHEMES.map(({ scheme, label, icon: Icon }) => (
            <Menu.RadioItem
              key={scheme}
              value={scheme}
              rightSection={<Icon size={16} stroke={1.6} aria-hidden />}
              closeMenuOnClick
            >
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
