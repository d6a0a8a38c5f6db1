import { JetStreamApiError } from '@nats-io/jetstream';
import { errors as natsErrors } from '@nats-io/transport-node';
import { Fault } from '../../core/fault.ts';

export const STREAM_NOT_FOUND = 10059;
export const CONSUMER_NOT_FOUND = 10014;
export const NO_MESSAGE_FOUND = 10037;

/**
 * Answers of JetStream that mean "no room": the stream is at its limit, or the account or the servers' disks are.
 * (nats-server's errors.json.)
 */
const FULL: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, 10077]);
/** Answers that pass by themselves: the cluster elects a leader, or the server begins. */
const PASSING: ReadonlySet<number> = new Set([10008, 10009, 10039, 10118]);

/** JetStream's code of an error it answered; 0 where it answered none. */
export function apiCode(error: unknown): number {
  return error instanceof JetStreamApiError ? error.code : 0;
}

export function isFull(error: unknown): boolean {
  // A stream that is full answers with the general code of a store that failed, and says which limit in words.
  return FULL.has(apiCode(error)) && !/temporar|not available/i.test((error as Error).message);
}

/** Nobody answered, or one answered that has no say yet: worth another try. */
export function isPassing(error: unknown): boolean {
  return (
    PASSING.has(apiCode(error)) ||
    error instanceof natsErrors.TimeoutError ||
    error instanceof natsErrors.RequestError ||
    error instanceof natsErrors.NoRespondersError ||
    error instanceof natsErrors.ConnectionError ||
    error instanceof natsErrors.ClosedConnectionError ||
    error instanceof natsErrors.DrainingConnectionError
  );
}

/** The refusal that a failure of NATS is to whoever asked for something. */
export function storageFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isFull(error)) {
    return new Fault(
      'storage_full',
      `The stream is full (${(error as Error).message}). Raise its limit or shorten the retention; the service goes on by itself.`,
      { retryAfter: 10, cause: error },
    );
  }
  return new Fault('storage_unavailable', `NATS failed: ${(error as Error).message}`, { retryAfter: 5, cause: error });
}
