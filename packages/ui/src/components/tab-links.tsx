import { Link, type LinkProps, useRouter } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import classes from './tab-links.module.css';

export interface TabLink {
  readonly label: ReactNode;
  /** By `linkOptions`. */
  readonly link: LinkProps;
  /** Is it open only on its own path, not on those below it. */
  readonly exact?: boolean;
}

interface TabLinksProps {
  /** What they are the parts of, for screen readers. */
  readonly label: string;
  readonly tabs: readonly TabLink[];
}

/** The parts of a page, each with an address of its own. Where it is narrow they scroll, to the one that is open. */
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
    // After the router, which gives a page the scroll of the one before it.
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
