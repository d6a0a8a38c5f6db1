import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { PageHeader } from '../../components/page-header.tsx';
import { MessageFilters } from './message-filters.tsx';
import { MessagesTable } from './messages-table.tsx';

const route = getRouteApi('/shell/messages');

/** Where is my event? Every accepted one can be found, also what no destination took. */
export function MessagesPage(): ReactElement {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Messages"
        description="Where is my event? Find it by its messageId or its user, and follow it to every destination."
      />
      <Stack gap="md">
        <MessageFilters
          search={search}
          onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }) })}
        />
        <MessagesTable search={search} />
      </Stack>
    </>
  );
}
