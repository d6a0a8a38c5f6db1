import { Button } from '@mantine/core';
import { IconMapOff } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

export function NotFoundPage(): ReactElement {
  return (
    <>
      <PageHeader title="There is no such page" />
      <EmptyState
        icon={IconMapOff}
        title="Nothing is at this address"
        action={
          <Button component={Link} to="/">
            To the overview
          </Button>
        }
      >
        The link may be old, or a letter of it is missing.
      </EmptyState>
    </>
  );
}
