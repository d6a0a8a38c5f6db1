import { JetStreamApiError } from '@nats-io/jetstream';
import { errors as natsErrors } from '@nats-io/transport-node';
import { Fault } from '../../core/fault.ts';

export const STREAM_NOT_FOUND = 10059;
export const CONSUMER_NOT_FOUND = 10014;
export const NO_MESSAGE_FOUND = 10037;
export const SEQUENCE_NOT_FOUND = 10043;
export const MESSAGE_DELETE_FAILED = 10057;
/** Another process wrote to this place of the stream first. */
export const WRONG_LAST_SEQUENCE: ReadonlySet<number> = new Set([10071, 10164]);

/** A stream has as many bytes, or messages, as it may have. */
const STREAM_FULL = 10077;

/** Answers of JetStream that mean "no space": the stream, the account or the servers' disks are full. (nats-server's errors.json.) */
const FULL: ReadonlySet<number> = new Set([10002, 10023, 10028, 10047, STREAM_FULL]);
/** Errors that end by themselves: the cluster elects a leader, or the server starts. */
const PASSING: ReadonlySet<number> = new Set([10008, 10009, 10118]);

/** An error and its causes: the client wraps some of the servers' errors. */
export function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error; each = each.cause) chain.push(each);
  return chain;
}

/** JetStream's code of the error; 0 if it has none. */
export function apiCode(error: unknown): number {
  return chainOf(error).find((each) => each instanceof JetStreamApiError)?.code ?? 0;
}

/** Returns null for an error with one of these codes. Throws other errors. */
export function nullOn(...codes: readonly number[]): (error: unknown) => null {
  return (error) => {
    if (codes.includes(apiCode(error))) return null;
    throw error;
  };
}

export function isFull(error: unknown): boolean {
  return FULL.has(apiCode(error));
}

/** Nothing listens to the subject: JetStream is off, or the stream or consumer has no leader. */
export function isUnheard(error: unknown): boolean {
  return chainOf(error).some((each) => each instanceof natsErrors.RequestError && each.isNoResponders());
}

/** No server answered, or one that can't know yet: a retry may succeed. */
export function isPassing(error: unknown): boolean {
  if (PASSING.has(apiCode(error))) return true;
  return chainOf(error).some(
    (each) =>
      each instanceof natsErrors.TimeoutError ||
      each instanceof natsErrors.RequestError ||
      each instanceof natsErrors.NoRespondersError ||
      each instanceof natsErrors.ConnectionError ||
      each instanceof natsErrors.ClosedConnectionError ||
      each instanceof natsErrors.DrainingConnectionError,
  );
}

/** The Fault for an error of NATS. */
export function storageFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (isFull(error)) {
    const said = (error as Error).message;
    const full =
      apiCode(error) === STREAM_FULL
        ? `The stream is full (${said}). Raise its limit`
        : `NATS has no room (${said}). Give JetStream more (max_file_store, the limits of the account)`;
    const words = `${full} or shorten the retention; the service goes on by itself.`;
    return new Fault('storage_full', words, { retryAfter: 10, cause: error });
  }
  return new Fault('storage_unavailable', `NATS failed: ${(error as Error).message}`, { retryAfter: 5, cause: error });
}
