import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions, Outlet } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { isMissing } from '../../api/problem.ts';
import { sourcesApi } from '../../api/sources.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SentBy } from '../../components/sent-by.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { TabLinks } from '../../components/tab-links.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { SourceSwitch } from './source-switch.tsx';
import { SOURCE_TYPES } from './source-types.ts';

const route = getRouteApi('/shell/sources/$sourceId');

/** One source; its parts are tabs with an address of their own. */
export function SourcePage(): ReactElement {
  const { sourceId } = route.useParams();
  const mayChange = useMayChange();
  const { data: source, error, refetch } = useQuery(sourcesApi.one(sourceId));
  const sentBy = source?.sentBy ?? null;
  const params = { sourceId };
  const type = SOURCE_TYPES.find(({ value }) => value === source?.type);
  if (isMissing(error)) {
    return <NotFound what="source" id={sourceId} all={<ButtonLink to="/sources">All sources</ButtonLink>} />;
  }
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/sources" size="sm">
            Sources
          </AnchorLink>
        }
        title={source?.name ?? 'Source'}
        badge={
          source && <StatusBadge tone={source.enabled ? 'good' : 'off'}>{source.enabled ? 'on' : 'off'}</StatusBadge>
        }
        description={
          sentBy === null ? (
            type && `${type.label}: ${type.about.toLowerCase()}`
          ) : (
            <>
              Sent by <SentBy id={sentBy} />
            </>
          )
        }
        actions={source && sentBy === null && <SourceSwitch source={source} />}
      />
      <TabLinks
        label="Parts of the source"
        tabs={[
          { label: 'Overview', link: linkOptions({ to: '/sources/$sourceId', params }), exact: true },
          ...(sentBy === null
            ? [{ label: 'Connect', link: linkOptions({ to: '/sources/$sourceId/connect', params }) }]
            : []),
          ...(mayChange && sentBy === null
            ? [
                { label: 'Import', link: linkOptions({ to: '/sources/$sourceId/import', params }) },
                { label: 'Settings', link: linkOptions({ to: '/sources/$sourceId/settings', params }) },
              ]
            : []),
        ]}
      />
      {source ? (
        <Suspense fallback={<Skeleton height={420} />}>
          <Outlet />
        </Suspense>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}
