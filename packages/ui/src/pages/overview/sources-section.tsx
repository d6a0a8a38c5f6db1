import { Stack, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { OverviewSource } from '../../../../server/src/admin/contract.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { SourcesTable } from '../sources/sources-table.tsx';

/** All that the numbers above count, those of audiences and computed traits too; undefined while they are on their way. */
export function SourcesSection({ sources }: { readonly sources: readonly OverviewSource[] | undefined }): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby="sources">
      <Title order={2} id="sources">
        Sources
      </Title>
      <SourcesTable sources={sources} empty={<EmptyState icon={IconPlugConnected} title="No source yet" />} />
    </Stack>
  );
}
