import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import classes from './shell.module.css';

/** The logo (a mill's wheel above a stream) and the name. */
export function Wordmark(): ReactElement {
  return (
    <Link to="/" className={classes['wordmark'] ?? ''}>
      <Mark size={28} />
      Millrace
    </Link>
  );
}

export function Mark({ size }: { readonly size: number }): ReactElement {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-primary-color-filled)" />
      <g stroke="#fff" strokeLinecap="round">
        <circle cx="16" cy="13" r="6.5" strokeWidth="2" />
        <path d="M16 6.5v13M9.5 13h13M11.4 8.4l9.2 9.2M20.6 8.4l-9.2 9.2" strokeWidth="1.5" />
        <path d="M5 25c2.2 0 2.2-2 4.4-2s2.2 2 4.4 2 2.2-2 4.4-2 2.2 2 4.4 2 2.2-2 4.4-2" strokeWidth="2" />
      </g>
    </svg>
  );
}
