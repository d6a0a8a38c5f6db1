import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
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

/** The parts of a page, each with an address of its own. Where it is narrow they scroll. */
export function TabLinks({ label, tabs }: TabLinksProps): ReactElement {
  return (
    <nav aria-label={label} className={classes['tabs']}>
      {tabs.map(({ label: name, link, exact = false }) => (
        <Link key={link.to} {...link} activeOptions={{ exact, includeSearch: false }}>
          {name}
        </Link>
      ))}
    </nav>
  );
}
