import { readFileSync } from 'node:fs';

/** One thing that a process did to a file, or to the names of the folder, as journal.c writes it. */
export interface JournalRecord {
  readonly kind: Kind;
  /** Of the file; of the folder, where its names were synced; 0 for a name that was changed. */
  readonly inode: bigint;
  /** Where it was written, or the new length; of a sync, the place in the journal where it began. */
  readonly offset: number;
  /** What was written, or the name; both names of a rename, with a slash between them. */
  readonly data: Buffer;
  /** The place in the journal behind it. */
  readonly end: number;
}

/** In the order of journal.c, which counts from 1. */
const KINDS = ['write', 'truncate', 'create', 'rename', 'unlink', 'sync'] as const;
type Kind = (typeof KINDS)[number];

const HEAD_BYTES = 32;

/** What the process did, in its order. A last record that the kill cut short is left out: what it tells of was not done. */
export function readJournal(path: string): JournalRecord[] {
  const bytes = readFileSync(path);
  const records: JournalRecord[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const [number, inode, offset, length] = [0, 8, 16, 24].map((field) => bytes.readBigUInt64LE(at + field));
    const start = at + HEAD_BYTES;
    const end = start + Number(length);
    const kind = KINDS[Number(number) - 1];
    if (kind === undefined) throw new Error(`${path} has a record of kind ${number} at ${at}.`);
    if (end > bytes.length) break;
    records.push({ kind, inode: inode ?? 0n, offset: Number(offset), data: bytes.subarray(start, end), end });
    at = end;
  }
  return records;
}
