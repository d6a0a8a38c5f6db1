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

/** What a runner gets from outside, as arguments: so a simulation can provide it. */
export interface RunnerWorld {
  readonly clock: Clock;
  readonly openSender: OpenSender;
  readonly claims: Claims;
  /** Makes messages of the retry queue due now: these, or at most this many. Answers how many were due later. */
  readonly hasten: (destinationId: string, now: number, of: number | readonly Position[]) => Promise<number>;
  /** Records a delivery result; `recorded` is called when it is durable. */
  readonly record: (result: DeliveryResult, recorded: () => void) => void;
  readonly policy: RetryPolicy;
  /** Whether the destination waits for a person: no request is begun and no message fails. Absent: none waits. */
  readonly holds?: (destination: Destination) => boolean;
  /** Most requests under way to one URL, from all nodes together. */
  readonly maxConcurrency: number;
  /** How long events are kept, milliseconds; no message waits longer. */
  readonly retention: number;
  readonly peers: Peers;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly meter: DeliveryMeter;
  /** Called for errors of the log and the records, which are tried again. Destination null: it concerns all. */
  readonly report: (error: unknown, destinationId: string | null) => void;
}

/** Counts for metrics and statistics. */
export interface DeliveryMeter {
  attempted(destinationId: string, outcome: Outcome, ms: number): void;
  settled(result: DeliveryResult): void;
}

export interface RunnerStatus {
  /** Whether it waits for a person to allow its addresses. */
  readonly held: boolean;
  readonly breaker: BreakerState;
  /** When the next probe may go out, milliseconds since the epoch; null unless the breaker is open. */
  readonly probeAt: number | null;
  readonly urls: readonly EndpointStatus[];
}
