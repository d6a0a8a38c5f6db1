import { NavLink, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
  IconApi,
  IconBook,
  IconBug,
  IconHome,
  IconMailSearch,
  IconMathFunction,
  IconPlugConnected,
  IconSend,
  IconSettings,
  IconUserSearch,
  IconUsersGroup,
  IconUserX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentType, ReactElement, ReactNode } from 'react';
import { incidentsApi } from '../api/incidents.ts';
import { StatusBadge } from '../components/status-badge.tsx';
import { useMayOpen, useSession } from './session.ts';
import classes from './shell.module.css';

export interface Item {
  readonly label: string;
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly to: NonNullable<LinkProps['to']>;
}

/** `letter`: after `g`, this key opens the page. */
export const ITEMS: readonly (Item & { readonly letter: string })[] = [
  { label: 'Overview', letter: 'o', icon: IconHome, to: '/' },
  { label: 'Incidents', letter: 'n', icon: IconAlertTriangle, to: '/incidents' },
  { label: 'Catalog', letter: 'c', icon: IconBook, to: '/catalog' },
  { label: 'Sources', letter: 's', icon: IconPlugConnected, to: '/sources' },
  { label: 'Destinations', letter: 'd', icon: IconSend, to: '/destinations' },
  { label: 'Audiences', letter: 'a', icon: IconUsersGroup, to: '/audiences' },
  { label: 'Computed traits', letter: 't', icon: IconMathFunction, to: '/traits' },
  { label: 'People', letter: 'p', icon: IconUserSearch, to: '/people' },
  { label: 'Deletion', letter: 'e', icon: IconUserX, to: '/deletions' },
  { label: 'Live debugger', letter: 'l', icon: IconBug, to: '/live' },
  { label: 'Messages', letter: 'm', icon: IconMailSearch, to: '/messages' },
  { label: 'API docs', letter: 'i', icon: IconApi, to: '/api-docs' },
  { label: 'Settings', letter: ',', icon: IconSettings, to: '/settings' },
];

/** The main pages. The open one is marked, also while a page below it is open. */
export function Navigation(): ReactElement {
  const { version } = useSession();
  const mayOpen = useMayOpen();
  const open = useQuery(incidentsApi.brought()).data?.items.length ?? 0;
  return (
    <Stack gap={4} mih="100%">
      {ITEMS.filter(mayOpen).map((item) => (
        <PlaceLink key={item.label} item={item} exact={item.to === '/'}>
          {item.to === '/incidents' && open > 0 && (
            <StatusBadge tone="bad">{open < 100 ? `${open} open` : open}</StatusBadge>
          )}
        </PlaceLink>
      ))}
      <Text variant="aside" mt="auto" p="16px 10px 4px">
        Millrace {version} ·{' '}
        <Link to="/glossary" className={classes['place'] ?? ''}>
          Glossary
        </Link>
      </Text>
    </Stack>
  );
}

interface PlaceLinkProps {
  readonly item: Item;
  /** True: marked as open only on its own path, not on paths below it. */
  readonly exact: boolean;
  readonly small?: boolean;
  /** Shown at the end of the link. */
  readonly children?: ReactNode;
}

/** A link that is marked while its page is open. */
export function PlaceLink({ item, exact, small = false, children }: PlaceLinkProps): ReactElement {
  const { label, icon: Icon, to } = item;
  return (
    <Link className={classes['place'] ?? ''} to={to} activeOptions={{ exact, includeSearch: false }}>
      {({ isActive }) => (
        <NavLink
          component="span"
          className={classes['link'] ?? ''}
          bdrs="md"
          p={small ? '6px 10px' : '8px 12px'}
          label={label}
          active={isActive}
          leftSection={<Icon size={small ? 16 : 18} stroke={1.6} aria-hidden />}
          rightSection={children}
        />
      )}
    </Link>
  );
}
