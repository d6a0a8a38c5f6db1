import { Code, Group } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useEffect } from 'react';
import { ButtonLink } from '../components/button-link.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

interface NotFoundProps {
  /** What was looked for: `destination`. */
  readonly what: string;
  /** As the address has it. */
  readonly id: string;
  /** The way to the list of what there is. */
  readonly all?: ReactNode;
  /** Why it may be so, where there is more to say. */
  readonly children?: ReactNode;
}

/** Nothing is at an address, or has an id: what was not found, and the ways on. */
export function NotFound({ what, id, all, children }: NotFoundProps): ReactElement {
  useEffect(() => {
    // It takes the place of a page whose heading had the focus.
    const isLost = document.activeElement === document.body;
    if (all && isLost) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [all]);
  return (
    <>
      <PageHeader title={`There is no such ${what}`} />
      <EmptyState
        icon={IconMapOff}
        title={all ? `No ${what} has this id` : 'Nothing is at this address'}
        action={
          <Group gap="xs" justify="center">
            {all}
            <ButtonLink to="/" variant={all ? 'default' : 'filled'}>
              To the overview
            </ButtonLink>
          </Group>
        }
      >
        <Code style={{ overflowWrap: 'anywhere' }}>{id}</Code> was not found.{' '}
        {children ?? 'It may have been deleted, or a letter of the link is missing.'} The search in the top bar looks
        everywhere.
      </EmptyState>
    </>
  );
}

export function NotFoundPage(): ReactElement {
  return <NotFound what="page" id={useLocation().pathname} />;
}
