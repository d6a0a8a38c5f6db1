import { Box, Flex } from '@mantine/core';
import { IconBell, IconFileCode, IconHistory, IconKey, IconSettings, IconUser, IconUsers } from '@tabler/icons-react';
import { Outlet } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { type Item, PlaceLink } from '../../shell/navigation.tsx';
import { useMayOpen } from '../../shell/session.ts';

export const PLACES: readonly Item[] = [
  { label: 'General', icon: IconSettings, to: '/settings' },
  { label: 'Alerts', icon: IconBell, to: '/settings/alerts' },
  { label: 'People', icon: IconUsers, to: '/settings/people' },
  { label: 'API tokens', icon: IconKey, to: '/settings/tokens' },
  { label: 'My account', icon: IconUser, to: '/settings/account' },
  { label: 'Audit log', icon: IconHistory, to: '/settings/audit' },
  { label: 'Export & apply', icon: IconFileCode, to: '/settings/file' },
];

/** The navigation between the pages of the settings. */
export function SettingsFrame(): ReactElement {
  const mayOpen = useMayOpen();
  return (
    <Flex direction={{ base: 'column', lg: 'row' }} gap={{ base: 'md', lg: 28 }}>
      <Flex component="nav" aria-label="Settings" direction={{ base: 'row', lg: 'column' }} wrap="wrap" gap={2} pt={4}>
        {PLACES.filter(mayOpen).map((item) => (
          <PlaceLink key={item.label} item={item} exact small />
        ))}
      </Flex>
      <Box flex={1} miw={0} maw={1280}>
        <Suspense>
          <Outlet />
        </Suspense>
      </Box>
    </Flex>
  );
}
