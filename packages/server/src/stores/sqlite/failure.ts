import { Fault } from '../../core/fault.ts';
import type { StoreError } from './protocol.ts';

/** The disk has no room. */
const SQLITE_FULL = 13;
/** Other faults of the machine, which may pass: read-only, I/O error, a file that can't be opened. */
const OF_THE_MACHINE: ReadonlySet<number> = new Set([8, 10, SQLITE_FULL, 14]);

/** An error of a commit, which is never a bug in its SQL. */
export function storeError(error: unknown): StoreError {
  return { full: codeOf(error) === SQLITE_FULL, message: (error as Error).message };
}

/** A Fault where the machine failed a statement. Everything else that one throws is a bug, and no refusal: it stays as it is. */
export function toFault(error: unknown): unknown {
  return OF_THE_MACHINE.has(codeOf(error)) ? storageFault(storeError(error)) : error;
}

export function storageFault(error: StoreError): Fault {
  return error.full
    ? new Fault('storage_full', 'The disk is full. Make room; the service goes on by itself.', { retryAfter: 10 })
    : new Fault('storage_unavailable', `Storage failed: ${error.message}`, { retryAfter: 5 });
}

/** SQLite's primary result code; 0 where an error has none. */
function codeOf(error: unknown): number {
  const { errcode } = error as { errcode?: number };
  return (errcode ?? 0) % 256;
}
