import { Fault } from '../../core/fault.ts';
import type { StoreError } from './protocol.ts';

/** The disk is full. */
const SQLITE_FULL = 13;
/** SQLite's codes for errors of the machine, which may pass: read-only, I/O error, disk full, a file that can't be opened. */
const OF_THE_MACHINE: ReadonlySet<number> = new Set([8, 10, SQLITE_FULL, 14]);

/** Describes the error of a commit. It is never a bug in the SQL. */
export function storeError(error: unknown): StoreError {
  return { full: codeOf(error) === SQLITE_FULL, message: (error as Error).message };
}

/** Converts an error of the machine to a Fault. Any other error of a statement is a bug, and is returned as it is. */
export function toFault(error: unknown): unknown {
  return OF_THE_MACHINE.has(codeOf(error)) ? storageFault(storeError(error)) : error;
}

export function storageFault(error: StoreError): Fault {
  return error.full
    ? new Fault('storage_full', 'The disk is full. Make room; the service goes on by itself.', { retryAfter: 10 })
    : new Fault('storage_unavailable', `Storage failed: ${error.message}`, { retryAfter: 5 });
}

/** SQLite's primary result code; 0 if the error has none. */
function codeOf(error: unknown): number {
  const { errcode } = error as { errcode?: number };
  return (errcode ?? 0) % 256;
}
