import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { Outlet, useLocation } from '@tanstack/react-router';
import { lazy, type ReactElement, Suspense, useEffect } from 'react';
import { SignInAgain } from '../pages/sign-in/sign-in-again.tsx';
import { Navigation } from './navigation.tsx';
import { usePageFocus } from './page-focus.ts';
import classes from './shell.module.css';
import { Shortcuts } from './shortcuts.tsx';
import { TopBar } from './top-bar.tsx';
import { Unreachable } from './unreachable.tsx';

const NavigationDrawer = lazy(async () => ({ default: (await import('./navigation-drawer.tsx')).NavigationDrawer }));

/** The frame around every page: top bar, navigation (a drawer where it is narrow), and the page. */
export function Shell(): ReactElement {
  const [opened, { open, close }] = useDisclosure(false);
  const [listing, keys] = useDisclosure(false);
  const isNarrow = useMediaQuery('(max-width: 47.99em)');
  const { pathname } = useLocation();
  usePageFocus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes the drawer, by a link or by the browser's buttons.
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
        <Suspense>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}
