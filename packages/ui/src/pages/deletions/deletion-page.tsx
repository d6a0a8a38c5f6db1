import { Button, Skeleton, Stack } from '@mantine/core';
import { IconDownload, IconUserX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { problemFrom } from '../../api/problem.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeleteRecord } from './delete-record.tsx';
import { DeletionSteps } from './deletion-steps.tsx';
import { many, standing, TYPES } from './deletion-words.ts';
import { FailedNotices } from './failed-notices.tsx';
import { HeldUp } from './held-up.tsx';
import { Receipts } from './receipts.tsx';

const route = getRouteApi('/shell/deletions/$regulationId');

/** One deletion: how far it is, live, and the receipts of every user, source, destination and URL. */
export function DeletionPage(): ReactElement {
  const { regulationId } = route.useParams();
  const mayChange = useMayChange();
  const { data: regulation, error, refetch } = useQuery(regulationsApi.one(regulationId));
  const isGone = error !== null && problemFrom(error).code === 'not_found';
  const shown = regulation && standing(regulation);
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/deletions" size="sm">
            Deletion
          </AnchorLink>
        }
        title={regulation ? `${TYPES[regulation.regulationType]} ${many(regulation.users, 'user')}` : 'Deletion'}
        documentTitle={`Deletion ${regulationId}`}
        badge={shown && <StatusBadge tone={shown.tone}>{shown.words}</StatusBadge>}
        description={regulationId}
        actions={
          regulation && (
            <>
              <Button
                component="a"
                variant="default"
                href={regulationsApi.reportUrl(regulationId)}
                download
                leftSection={<IconDownload size={16} aria-hidden />}
              >
                Download the report
              </Button>
              {mayChange && <DeleteRecord regulation={regulation} />}
            </>
          )
        }
      />
      {isGone && (
        <EmptyState icon={IconUserX} title="There is no such deletion">
          Its record was deleted, or the address is not whole. What it removed stays removed.
        </EmptyState>
      )}
      {error && !isGone && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!regulation && !error && <Skeleton height={420} />}
      {regulation && (
        <Stack gap="md">
          {regulation.notices.failed > 0 && <FailedNotices regulation={regulation} />}
          <HeldUp regulation={regulation} />
          <DeletionSteps regulation={regulation} />
          <Receipts regulation={regulation} />
        </Stack>
      )}
    </>
  );
}
