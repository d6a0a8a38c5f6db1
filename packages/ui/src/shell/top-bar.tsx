import { ActionIcon, Badge, Burger, type MantineColorScheme, Menu, Text, useMantineColorScheme } from '@mantine/core';
import { IconDeviceDesktop, IconKeyboard, IconLogout, IconMoon, IconSun, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sessionApi } from '../api/session.ts';
import { notifyFailed } from '../components/notify.ts';
import { SearchField } from './search-field.tsx';
import { useSession } from './session.ts';
import classes from './shell.module.css';
import { Wordmark } from './wordmark.tsx';

interface TopBarProps {
  /** Whether the navigation drawer is open. */
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
      <Badge visibleFrom="xs" tt="none" fw={600} miw={0} maw="40vw" mr="auto">
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

/** The choice is stored in this browser. */
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

async function forgetImports(): Promise<void> {
  const { importStore } = await import('../pages/sources/import-store.ts');
  await importStore.removeAll();
}

/** The account and role, the shortcuts, and the sign-out. */
function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }): ReactElement {
  const { account, role } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation(sessionApi.signOut());

  const leave = async (): Promise<void> => {
    await signOut.mutateAsync();
    await navigate({ to: '/sign-in' });
    // The next user must not see this user's data.
    queryClient.clear();
    await forgetImports().catch(notifyFailed('Lines that an import refused are still in this browser'));
  };

  return (
    <Menu withinPortal={false} position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon aria-label="Account">
          <IconUser size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text fw={600} c="var(--mantine-color-text)" truncate>
            {account?.name ?? 'Admin token'}
          </Text>
          <Text variant="aside" truncate>
            {account ? `${account.email} · ${role}` : role}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconKeyboard size={16} stroke={1.6} aria-hidden />} onClick={onShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} stroke={1.6} aria-hidden />}
          onClick={() => void leave().catch(notifyFailed('You are still signed in'))}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
