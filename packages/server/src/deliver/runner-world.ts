import type { Clock } from '../core/clock.ts';
import type { DeliveryResult, Outcome } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import type { BreakerState } from './breaker.ts';
import type { EndpointStatus } from './endpoints.ts';
import type { Peers } from './peers.ts';
import type { Claims } from './retry-queue.ts';
import type { RetryPolicy } from './schedule.ts';
import type { OpenSender } from './sender.ts';

/** What every runner is given: the world as arguments, so that a simulation can be one. */
export interface RunnerWorld {
  readonly clock: Clock;
  readonly openSender: OpenSender;
  readonly claims: Claims;
  /** Makes messages of the retry queue due now, at most so many or these; answers how many would have been due later. */
  readonly hasten: (destinationId: string, now: number, of: number | readonly Position[]) => Promise<number>;
  /** Records a delivery result; `recorded` follows when it is durable. */
  readonly record: (result: DeliveryResult, recorded: () => void) => void;
  readonly policy: RetryPolicy;
  /** Whether it has to wait for a person: nothing is begun, and nothing fails. None when absent. */
  readonly holds?: (destination: Destination) => boolean;
  /** Most requests under way per URL, of all nodes together. */
  readonly maxConcurrency: number;
  /** How long events are kept, milliseconds: no message is held for longer. */
  readonly retention: number;
  readonly peers: Peers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly meter: DeliveryMeter;
  /** Is told of errors of the log and the records; the runner tries again. */
  readonly report: (error: unknown, destinationId: string) => void;
}

/** Is told of everything that is worth counting. */
export interface DeliveryMeter {
  attempted(destinationId: string, outcome: Outcome, ms: number): void;
  settled(result: DeliveryResult): void;
}

export interface RunnerStatus {
  /** It waits for a person to allow its addresses. */
  readonly held: boolean;
  readonly breaker: BreakerState;
  /** When the next probe goes out, milliseconds since the epoch; null unless the breaker is open. */
  readonly probeAt: number | null;
  readonly urls: readonly EndpointStatus[];
}
