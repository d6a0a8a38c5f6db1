import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { HealthBadge } from '../../components/health-badge.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { ThingPage } from '../../shell/thing-page.tsx';
import { DestinationSwitch } from './destination-switch.tsx';
import { DESTINATION } from './kind.ts';
import { PauseButton } from './pause-button.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$destinationId');

/** One destination; its parts are tabs with an address of their own. */
export function DestinationPage(): ReactElement {
  const { destinationId } = route.useParams();
  const query = useQuery(destinationsApi.one(destinationId));
  const destination = query.data;
  const { data: overview } = useOverview(destinationId);
  const seen = overview?.destination;
  const params = { destinationId };
  const mayLook = useMayLook();
  const mayChange = useMayChange();
  return (
    <ThingPage
      kind={DESTINATION}
      id={destinationId}
      query={query}
      badge={seen && <HealthBadge health={seen.health} reason={seen.reason} />}
      description={destination && urlsInWords(destination.settings.webhooks.map(({ url }) => url))}
      actions={
        destination && (
          <Group gap="md">
            {mayChange && (
              <PauseButton
                id={destinationId}
                name={destination.name}
                pausedSince={overview?.status.pausedSince ?? null}
              />
            )}
            <DestinationSwitch destination={destination} waiting={seen?.counts.waiting ?? 0} />
          </Group>
        )
      }
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
  );
}

function urlsInWords([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
