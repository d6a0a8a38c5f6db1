import { Button, Stack } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { many } from '../../format/number.ts';
import { DetailPage } from '../../shell/detail-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeleteRecord } from './delete-record.tsx';
import { DeletionSteps } from './deletion-steps.tsx';
import { standing, TYPES } from './deletion-words.ts';
import { FailedNotices } from './failed-notices.tsx';
import { HeldUp } from './held-up.tsx';
import { Receipts } from './receipts.tsx';

const route = getRouteApi('/shell/deletions/$regulationId');

const DELETION = { noun: 'deletion', plural: 'Deletions', list: '/deletions' } as const;

/** One deletion: how far it is, live, and the receipts of every user, source, destination and URL. */
export function DeletionPage(): ReactElement {
  const { regulationId } = route.useParams();
  const mayChange = useMayChange();
  const query = useQuery(regulationsApi.one(regulationId));
  const { data } = query;
  const shown = data && standing(data);
  return (
    <DetailPage
      kind={DELETION}
      id={regulationId}
      query={query}
      back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
      missing="Its record was deleted, or the address is not whole. What it removed stays removed."
      title={data ? `${TYPES[data.regulationType]} ${many(data.users, 'user')}` : 'Deletion'}
      documentTitle={`Deletion ${regulationId}`}
      badge={shown && <StatusBadge tone={shown.tone}>{shown.words}</StatusBadge>}
      description={regulationId}
      actions={
        data && (
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
            {mayChange && <DeleteRecord regulation={data} />}
          </>
        )
      }
    >
      {(regulation) => (
        <Stack gap="md">
          {regulation.notices.failed > 0 && <FailedNotices regulation={regulation} />}
          <HeldUp regulation={regulation} />
          <DeletionSteps regulation={regulation} />
          <Receipts regulation={regulation} />
        </Stack>
      )}
    </DetailPage>
  );
}
