import type { Destination } from '../core/destination.ts';
import type { RecordedReason } from '../core/reason.ts';
import { wasTaken } from '../core/urls-left.ts';
import type { Endpoints, Targets } from './endpoints.ts';
import type { Message } from './round.ts';
import { reasonAgainst } from './route.ts';

/** Where a message goes now. To no URL where there is a reason against it, or where it was taken and one URL is enough. */
export interface Way extends Targets {
  readonly reason: RecordedReason | null;
}

export function wayOf(message: Message, destination: Destination, endpoints: Endpoints): Way {
  const { open, held, reason: noUrl = null } = endpoints.targets(message);
  const reason = reasonAgainst(message, destination) ?? noUrl;
  const isOver = reason !== null || (destination.success !== 'all' && wasTaken(message));
  return isOver ? { reason, open: [], held: [] } : { reason, open, held };
}
