import { Alert } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { Outlet, useLocation, useMatches, useRouter } from '@tanstack/react-router';
import { lazy, type ReactElement, Suspense, useEffect, useSyncExternalStore } from 'react';
import { onReach, unreachableSince } from '../api/reach.ts';
import { Time } from '../components/time.tsx';
import { SignInAgain } from '../pages/sign-in/sign-in-again.tsx';
import { Navigation } from './navigation.tsx';
import { useMayLook } from './session.ts';
import classes from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { TopBar } from './top-bar.tsx';

const NavigationDrawer = lazy(async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer }));
const ForViewers = lazy(async () => ({ default: (await import('./for-viewers.tsx')).ForViewers }));

/** The frame of every page: top bar, navigation (a drawer on a narrow screen) and the page. */
export function Shell(): ReactElement {
  const [opened, { open, close }] = useDisclosure(false);
  const [listing, keys] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 47.99em)');
  const { pathname } = useLocation();
  const isPersonal = useMatches({ select: (matches) => matches.some(({ staticData }) => staticData.isPersonal) });
  const mayLook = useMayLook();
  usePageFocus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of page closes the drawer, also by the browser's buttons.
  useEffect(close, [pathname]);

  return (
    <div className={classes['shell']}>
      <a className={classes['skip']} href="#main">
        Skip to the page
      </a>
      <TopBar opened={opened} onOpen={open} onShortcuts={keys.open} />
      <nav className={classes['navigation']} aria-label="Main">
        <Navigation />
      </nav>
      <Suspense>{isNarrow && <NavigationDrawer opened={opened} onClose={close} />}</Suspense>
      <SignInAgain />
      <Shortcuts opened={listing} onOpen={keys.open} onClose={keys.close} />
      <main id="main" className={classes['main']} tabIndex={-1}>
        <Unreachable />
        <Suspense>{isPersonal && !mayLook ? <ForViewers /> : <Outlet />}</Suspense>
      </main>
    </div>
  );
}

/** Says on every page that the service can't be reached, while that is so. */
function Unreachable(): ReactElement {
  const since = useSyncExternalStore(onReach, unreachableSince);
  return (
    <div role="status" className={classes['unreachable']}>
      {since !== null && (
        <Alert color="red" icon={<IconPlugConnectedX aria-hidden />} title="The service can't be reached">
          What is shown is of <Time at={new Date(since).toISOString()} minutes />, or earlier. The page tries again by
          itself.
        </Alert>
      )}
    </div>
  );
}

/**
 * After a change of page, focuses the field that the address names (`#url-2`), else the heading of the new page. So a
 * screen reader announces the page, and Tab starts there, as after a page load.
 */
function usePageFocus(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
        if (!fromLocation || !pathChanged || document.querySelector('[data-keeps-focus]')) return;
        const field = toLocation.hash === '' ? null : document.getElementById(toLocation.hash);
        if (field) return field.focus();
        const target = document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
        target?.focus({ preventScroll: true });
      }),
    [router],
  );
}
