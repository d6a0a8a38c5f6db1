import { Code, Group } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { useLocation } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useEffect } from 'react';
import { ButtonLink } from '../components/button-link.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import type { Listed } from './things.ts';

interface NotFoundProps {
  /** The kind of the missing thing. Absent: a page. */
  readonly kind?: Listed;
  /** The id in the address. */
  readonly id: string;
  /** Explains why it may be missing, if there is more to say. */
  readonly children?: ReactNode;
}

/** Nothing exists at this address or with this id. Says what was not found, and where to go. */
export function NotFound({ kind, id, children }: NotFoundProps): ReactElement {
  const noun = kind?.noun ?? 'page';
  useEffect(() => {
    // True if this replaced a page whose heading had the focus, and at the first load, when nothing had it.
    const isLost = document.activeElement === document.body;
    if (kind && isLost) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
  }, [kind]);
  return (
    <>
      <PageHeader title={`There is no such ${noun}`} />
      <EmptyState
        bare
        icon={IconMapOff}
        title={kind ? `No ${noun} has this id` : 'Nothing is at this address'}
        action={
          <Group gap="xs" justify="center">
            {kind && <ButtonLink to={kind.list}>All {kind.plural.toLowerCase()}</ButtonLink>}
            <ButtonLink to="/" variant={kind ? 'default' : 'filled'}>
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
  return <NotFound id={useLocation().pathname} />;
}
