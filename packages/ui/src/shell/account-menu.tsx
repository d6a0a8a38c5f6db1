import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconKeyboard, IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sessionApi } from '../api/session.ts';
import { notifyFailed } from '../components/notify.ts';
import { useSession } from './session.ts';

async function forgetImports(): Promise<void> {
  const { importStore } = await import('../pages/sources/import-store.ts');
  await importStore.removeAll();
}

/** Who is signed in, as what, the keys, and the way out. */
export function AccountMenu({ onShortcuts }: { readonly onShortcuts: () => void }): ReactElement {
  const { account, role } = useSession();
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const signOut = useMutation(sessionApi.signOut());

  const leave = async (): Promise<void> => {
    await signOut.mutateAsync();
    await navigate({ to: '/sign-in' });
    // Nothing of what this person saw stays for the next.
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
