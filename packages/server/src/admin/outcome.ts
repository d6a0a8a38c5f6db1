import type { LogEntry } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { DeliveryStateOf } from '../record/contract.ts';
import type { EventOutcome, TracedLane } from './contract.ts';
import { holds } from './trace.ts';

/** Tells of each event what became of it in all of its lanes together. */
export function outcomes(
  states: readonly DeliveryStateOf[],
  lanes: readonly Lane[],
): (event: Pick<LogEntry, 'position' | 'sourceId'>) => EventOutcome {
  const made = Map.groupBy(states, ({ position }) => position);
  return (event) => {
    const done = made.get(event.position) ?? [];
    const ends = new Set<TracedLane['state']>(done.map(({ state }) => state));
    const waits = lanes.some(
      (lane) => holds(lane, event) && done.every(({ destinationId }) => destinationId !== lane.destinationId),
    );
    if (waits) ends.add('waiting');
    return outcomeOf(ends);
  };
}

/** What needs attention comes first. */
function outcomeOf(states: ReadonlySet<TracedLane['state']>): EventOutcome {
  if (states.has('failed')) return states.has('processed') ? 'partly' : 'failed';
  if (states.has('retrying')) return 'retrying';
  if (states.has('waiting')) return 'waiting';
  if (states.has('processed')) return 'delivered';
  return states.has('filtered') ? 'filtered' : 'none';
}
