import { NavLink } from '@mantine/core';
import { IconFileCode, IconHistory, IconKey, IconSettings, IconUser, IconUsers } from '@tabler/icons-react';
import { Link, type LinkProps, linkOptions, Outlet } from '@tanstack/react-router';
import { type ComponentType, type ReactElement, Suspense } from 'react';
import classes from './settings-frame.module.css';

interface Place {
  readonly label: string;
  readonly icon: ComponentType<{ size: number; stroke: number; 'aria-hidden': true }>;
  readonly link: LinkProps;
}

const PLACES: readonly Place[] = [
  { label: 'General', icon: IconSettings, link: linkOptions({ to: '/settings' }) },
  { label: 'People', icon: IconUsers, link: linkOptions({ to: '/settings/people' }) },
  { label: 'API tokens', icon: IconKey, link: linkOptions({ to: '/settings/tokens' }) },
  { label: 'My account', icon: IconUser, link: linkOptions({ to: '/settings/account' }) },
  { label: 'Audit log', icon: IconHistory, link: linkOptions({ to: '/settings/audit' }) },
  { label: 'Export & apply', icon: IconFileCode, link: linkOptions({ to: '/settings/file' }) },
];

/** The pages of the settings beside each other. */
export function SettingsFrame(): ReactElement {
  return (
    <div className={classes['frame']}>
      <nav className={classes['places']} aria-label="Settings">
        {PLACES.map(({ label, icon: Icon, link }) => (
          <Link key={label} {...link} activeOptions={{ exact: true, includeSearch: false }}>
            {({ isActive }) => (
              <NavLink
                component="span"
                className={classes['place'] ?? ''}
                label={label}
                active={isActive}
                leftSection={<Icon size={16} stroke={1.6} aria-hidden />}
              />
            )}
          </Link>
        ))}
      </nav>
      <div className={classes['page']}>
        <Suspense>
          <Outlet />
        </Suspense>
      </div>
    </div>
  );
}
