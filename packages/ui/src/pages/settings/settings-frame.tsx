import { IconBell, IconFileCode, IconHistory, IconKey, IconSettings, IconUser, IconUsers } from '@tabler/icons-react';
import { linkOptions, Outlet } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { type Item, PlaceLink } from '../../shell/navigation.tsx';
import { useMayLook } from '../../shell/session.ts';
import classes from './settings-frame.module.css';

/** `personal` marks pages that name the people who work here, or that only these people may use. */
export const PLACES: readonly Item[] = [
  { label: 'General', icon: IconSettings, link: linkOptions({ to: '/settings' }) },
  { label: 'Alerts', icon: IconBell, link: linkOptions({ to: '/settings/alerts' }), personal: true },
  { label: 'People', icon: IconUsers, link: linkOptions({ to: '/settings/people' }), personal: true },
  { label: 'API tokens', icon: IconKey, link: linkOptions({ to: '/settings/tokens' }), personal: true },
  { label: 'My account', icon: IconUser, link: linkOptions({ to: '/settings/account' }) },
  { label: 'Audit log', icon: IconHistory, link: linkOptions({ to: '/settings/audit' }), personal: true },
  { label: 'Export & apply', icon: IconFileCode, link: linkOptions({ to: '/settings/file' }), personal: true },
];

/** The navigation between the pages of the settings. */
export function SettingsFrame(): ReactElement {
  const mayLook = useMayLook();
  return (
    <div className={classes['frame']}>
      <nav className={classes['places']} aria-label="Settings">
        {PLACES.filter(({ personal }) => mayLook || !personal).map((item) => (
          <PlaceLink key={item.label} item={item} exact small />
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
