import { DatabaseError } from 'pg';
import { Fault } from '../../core/fault.ts';

/** Out of room: disk_full, out of memory of the server. */
const FULL: ReadonlySet<string> = new Set(['53100', '53200']);

/**
 * What the server says when it can't serve now and may later: connections that broke or are too many, a start or a stop,
 * a server that became a standby, a statement that took too long, and what a repetition settles.
 */
const PASSING = /^(08|57P|53|40001$|40P01$|25006$|57014$|55P03$|58)/;

/** Two transactions in each other's way: one of them repeats. */
const IN_THE_WAY: ReadonlySet<string> = new Set(['40001', '40P01']);

export function isInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && IN_THE_WAY.has(error.code ?? '');
}

/** Others use a table, and longer than the wait for it was. */
export function isInUse(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof DatabaseError && error.cause.code === '55P03';
}

/** There is no partition for a row: another node dropped it. */
export function lacksPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514' && error.message.startsWith('no partition');
}

/** The Fault for an error of the machine or the network; what is a bug in a statement stays as it is. */
export function storageError(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (FULL.has(code)) {
      const message = 'PostgreSQL has no room left. Make room; the service goes on by itself.';
      return new Fault('storage_full', message, { retryAfter: 10, cause: error });
    }
    if (!PASSING.test(code)) return error;
  } else if (!isOfTheConnection(error)) return error;
  const message = `PostgreSQL does not answer: ${(error as Error).message}`;
  return new Fault('storage_unavailable', message, { retryAfter: 5, cause: error });
}

/** Nothing was answered. Errors of sockets have a code, those of pg only words. */
export function isOfTheConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseError) return false;
  if ('syscall' in error || 'code' in error) return true;
  return /connect|timeout|terminated|not queryable|ended|closed/i.test(error.message);
}
