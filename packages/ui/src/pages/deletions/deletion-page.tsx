import { Button, Skeleton, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { isMissing } from '../../api/problem.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
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
  const shown = regulation && standing(regulation);
  if (isMissing(error)) {
    return (
      <NotFound what="deletion" id={regulationId} all={<ButtonLink to="/deletions">All deletions</ButtonLink>}>
        Its record was deleted, or the address is not whole. What it removed stays removed.
      </NotFound>
    );
  }
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
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
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
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
