import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { statsApi } from '../../api/stats.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { NewSourceDialog } from './new-source-dialog.tsx';
import { SourcesTable } from './sources-table.tsx';

/** All sources, live. */
export function SourcesPage(): ReactElement {
  const mayChange = useMayChange();
  const { data, error, refetch } = useQuery(statsApi.overview());
  const [creating, { open, close }] = useDisclosure(false);
  const isNew = data?.sources.length === 0;
  const create = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      New source
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Sources"
        description="Where calls come from. Each has a write key of its own."
        actions={!isNew && create}
      />
      <SourcesTable
        sources={data?.sources}
        withVolume
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconPlugConnected} title="No source yet" action={create}>
            A source is a website, an app or a server that sends calls with its own write key. Everything it sends goes
            to each destination you connect to it.
          </EmptyState>
        }
      />
      <NewSourceDialog opened={creating} onClose={close} />
    </>
  );
}
