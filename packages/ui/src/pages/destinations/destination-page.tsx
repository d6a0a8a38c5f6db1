import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';
import { HealthBadge } from '../../components/status-badge.tsx';
import { count } from '../../format/number.ts';
import { ThingPage } from '../../shell/detail-page.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { DESTINATION } from './kind.ts';
import { PauseButton } from './pause-button.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$destinationId');

/** One destination. Its tabs have their own addresses. */
export function DestinationPage(): ReactElement {
  const { destinationId } = route.useParams();
  const query = useQuery(destinationsApi.one(destinationId));
  const destination = query.data;
  const { data: overview } = useOverview(destinationId);
  const seen = overview?.destination;
  const waiting = seen?.counts.waiting ?? 0;
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
            <OnOffSwitch
              of={destination}
              update={destinationsApi.update()}
              kind="a destination"
              label={`Deliver to ${destination.name}`}
            >
              {waiting > 0 && `${count(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'} for it. `}
              Waiting and new events are recorded as filtered, not delivered, until it is on again. A replay of all
              events can send them later. To keep them waiting instead, pause it.
            </OnOffSwitch>
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
