import { DatabaseError } from 'pg';
import { Fault } from '../../core/fault.ts';

/** What the machine or the network of PostgreSQL prevents. */
class PostgresFault extends Fault {}

/** Whether an error comes from PostgreSQL, a bug in a statement included. */
export function isOfPostgres(error: unknown): boolean {
  return error instanceof PostgresFault || error instanceof DatabaseError;
}

/** The server has no space: disk_full, out_of_memory. */
const FULL: ReadonlySet<string> = new Set(['53100', '53200']);

/**
 * Errors that may pass: broken, refused or too many connections, a server that starts or stops, a server that became a standby, a
 * statement that took too long, and conflicts that a retry solves.
 */
const PASSING = /^(08|28|3D|57P|53|40001$|40P01$|25006$|57014$|55P03$|58)/;

/** Severities of errors that end a session or refuse one, whatever their code: no statement is to blame. */
const ENDS_SESSION: ReadonlySet<string> = new Set(['FATAL', 'PANIC']);

/** Two transactions conflict: one of them must be repeated. */
const IN_THE_WAY: ReadonlySet<string> = new Set(['40001', '40P01']);

export function isInTheWay(error: unknown): boolean {
  return error instanceof DatabaseError && IN_THE_WAY.has(error.code ?? '');
}

/** Whether a lock on a table was not granted in time, because others use the table. */
export function isInUse(error: unknown): boolean {
  return error instanceof Fault && error.cause instanceof DatabaseError && error.cause.code === '55P03';
}

/** Whether a row has no partition, because another node dropped it. */
export function lacksPartition(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23514' && error.message.startsWith('no partition');
}

/** Converts an error of the machine or the network to a Fault. Other errors are bugs in a statement, and are returned as they are. */
export function storageError(error: unknown): unknown {
  if (error instanceof Fault) return error;
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    if (FULL.has(code)) {
      const message = 'PostgreSQL has no room left. Make room; the service goes on by itself.';
      return new PostgresFault('storage_full', message, { retryAfter: 10, cause: error });
    }
    if (!PASSING.test(code) && !ENDS_SESSION.has(error.severity ?? '')) return error;
  } else if (!isOfTheConnection(error)) return error;
  const what = error instanceof DatabaseError ? 'answers with an error' : 'does not answer';
  const message = `PostgreSQL ${what}: ${(error as Error).message}`;
  return new PostgresFault('storage_unavailable', message, { retryAfter: 5, cause: error });
}

/** Whether there was no answer. Errors of sockets have a code; errors of pg have only a text. */
export function isOfTheConnection(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof DatabaseError) return false;
  if ('syscall' in error || 'code' in error) return true;
  return /connect|timeout|terminated|not queryable|ended|closed/i.test(error.message);
}
