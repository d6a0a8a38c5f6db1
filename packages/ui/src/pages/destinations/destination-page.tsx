import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions, Outlet } from '@tanstack/react-router';
import { type ReactElement, Suspense } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { isMissing } from '../../api/problem.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { HealthBadge } from '../../components/health-badge.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { TabLinks } from '../../components/tab-links.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { DestinationSwitch } from './destination-switch.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$destinationId');

/** One destination; its parts are tabs with an address of their own. */
export function DestinationPage(): ReactElement {
  const { destinationId } = route.useParams();
  const { data: destination, error, refetch } = useQuery(destinationsApi.one(destinationId));
  const seen = useOverview(destinationId).data?.destination;
  const params = { destinationId };
  const mayLook = useMayLook();
  const mayChange = useMayChange();
  if (isMissing(error)) {
    return (
      <NotFound
        what="destination"
        id={destinationId}
        all={<ButtonLink to="/destinations">All destinations</ButtonLink>}
      />
    );
  }
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/destinations" size="sm">
            Destinations
          </AnchorLink>
        }
        title={destination?.name ?? 'Destination'}
        badge={seen && <HealthBadge health={seen.health} reason={seen.reason} />}
        description={destination && urlsInWords(destination.settings.webhooks.map(({ url }) => url))}
        actions={destination && <DestinationSwitch destination={destination} waiting={seen?.counts.waiting ?? 0} />}
      />
      <TabLinks
        label="Parts of the destination"
        tabs={[
          { label: 'Overview', link: linkOptions({ to: '/destinations/$destinationId', params }), exact: true },
          ...(mayLook
            ? [
                { label: 'Deliveries', link: linkOptions({ to: '/destinations/$destinationId/deliveries', params }) },
                { label: 'Failed', link: linkOptions({ to: '/destinations/$destinationId/failed', params }) },
              ]
            : []),
          ...(mayChange
            ? [{ label: 'Test', link: linkOptions({ to: '/destinations/$destinationId/test', params }) }]
            : []),
          { label: 'Settings', link: linkOptions({ to: '/destinations/$destinationId/settings', params }) },
        ]}
      />
      {destination ? (
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

function urlsInWords([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
