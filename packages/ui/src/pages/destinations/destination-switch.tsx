import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { OnOffSwitch } from '../../components/on-off-switch.tsx';
import { count } from '../../format/number.ts';

interface DestinationSwitchProps {
  readonly destination: Destination;
  /** How many events wait for it now. */
  readonly waiting: number;
}

/** What waits and what comes is not delivered while it is off. */
export function DestinationSwitch({ destination, waiting }: DestinationSwitchProps): ReactElement {
  const update = useMutation(destinationsApi.update());
  return (
    <OnOffSwitch
      of={destination}
      kind="a destination"
      label={`Deliver to ${destination.name}`}
      busy={update.isPending}
      onSwitch={(enabled) => update.mutateAsync({ id: destination.id, revision: destination.revision, enabled })}
    >
      {waiting > 0 && `${count(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'} for it. `}
      Waiting and new events are recorded as filtered, not delivered, until it is on again. A replay of all events can
      send them later. To keep them waiting instead, pause it.
    </OnOffSwitch>
  );
}
