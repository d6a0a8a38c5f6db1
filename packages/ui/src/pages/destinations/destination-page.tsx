import { Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';
import { HealthBadge } from '../../components/status-badge.tsx';
import { count } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';
import { ThingPage } from '../../shell/thing-page.tsx';
import { THINGS } from '../../shell/things.ts';
import { PauseButton } from './pause-button.tsx';
import { useOverview } from './use-overview.ts';

const route = getRouteApi('/shell/destinations/$id');

/** One destination. Its tabs have their own addresses. */
export function DestinationPage(): ReactElement {
  const { id: destinationId } = route.useParams();
  const { data: overview } = useOverview(destinationId);
  const seen = overview?.destination;
  const waiting = seen?.counts.waiting ?? 0;
  const mayChange = useMayChange();
  return (
    <ThingPage
      kind={THINGS.destination}
      one={destinationsApi.one}
      header={(destination) => ({
        badge: seen && <HealthBadge health={seen.health} reason={seen.reason} />,
        description: urlsInWords(destination.settings.webhooks.map(({ url }) => url)),
        actions: (
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
        ),
      })}
      tabs={() => [
        ['', 'Overview'],
        ['/deliveries', 'Deliveries'],
        ['/failed', 'Failed'],
        mayChange && ['/test', 'Test'],
        ['/settings', 'Settings'],
      ]}
    />
  );
}

function urlsInWords([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
