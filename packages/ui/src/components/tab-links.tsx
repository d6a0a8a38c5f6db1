import { Link, type LinkProps, useRouter } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import classes from './tab-links.module.css';

export interface TabLink {
  readonly label: ReactNode;
  /** Made with `linkOptions`. */
  readonly link: LinkProps;
  /** True: marked as open only on its own path, not on paths below it. */
  readonly exact?: boolean;
}

interface TabLinksProps {
  /** Name of the group of tabs, for screen readers. */
  readonly label: string;
  readonly tabs: readonly TabLink[];
}

/** The parts of a page as tabs, each with its own address. On a narrow screen they scroll to the open one. */
export function TabLinks({ label, tabs }: TabLinksProps): ReactElement {
  const nav = useRef<HTMLElement>(null);
  const router = useRouter();
  useEffect(() => {
    const all = nav.current;
    if (!all) return;
    const show = (): void => {
      const open = all.querySelector<HTMLElement>('[aria-current="page"]');
      if (open) all.scrollLeft = open.offsetLeft + (open.offsetWidth - all.clientWidth) / 2;
    };
    const resized = new ResizeObserver(show);
    resized.observe(all);
    // Runs after the router, which restores the scroll position of the page before.
    const stop = router.subscribe('onRendered', show);
    return () => {
      resized.disconnect();
      stop();
    };
  }, [router]);
  return (
    <nav ref={nav} aria-label={label} className={classes['tabs']}>
      {tabs.map(({ label: name, link, exact = false }) => (
        <Link key={link.to} {...link} activeOptions={{ exact, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
