import { Box, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { statsApi } from '../../api/stats.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Section } from '../../components/section.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { RejectionsTable } from './rejections-table.tsx';
import { SourceForm } from './source-form.tsx';
import { VOLUME } from './source-volume.tsx';
import { SourcesTable } from './sources-table.tsx';

/** All sources, live. */
export function SourcesPage(): ReactElement {
  const navigate = useNavigate();
  const mayChange = useMayChange();
  const mayLook = useMayLook();
  const { data, error, refetch } = useQuery(statsApi.overview());
  const [creating, { open, close }] = useDisclosure(false);
  const outside = data?.sources.filter(({ sentBy }) => sentBy === null);
  const own = data?.sources.filter(({ sentBy }) => sentBy !== null) ?? [];
  const isNew = outside?.length === 0;
  const create = mayChange && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      New source
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Sources"
        description="Where calls come from. Each source has its own write key."
        actions={!isNew && create}
      />
      <SourcesTable
        rows={outside}
        beside={VOLUME}
        error={error}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={IconPlugConnected} title="No source yet" action={create}>
            A source is a website, an app or a server that sends calls with its own write key. Everything it sends goes
            to each destination you connect to it.
          </EmptyState>
        }
      />
      {own.length > 0 && (
        <Section id="own-sources" title="Sent by this service" mt="lg">
          <SourcesTable label="Sent by this service" rows={own} beside={VOLUME} />
        </Section>
      )}
      {mayLook && !isNew && (
        <Box mt="lg">
          <RejectionsTable />
        </Box>
      )}
      {/* Opens the new source's page, which has the write key and the snippets. */}
      <FormDialog opened={creating} onClose={close} title="New source" size="lg">
        <SourceForm onCancel={close} onCreated={({ id }) => navigate({ to: '/sources/$id/connect', params: { id } })} />
      </FormDialog>
    </>
  );
}
