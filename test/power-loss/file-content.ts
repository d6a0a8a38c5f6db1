import type { JournalRecord } from './journal.ts';

const SECTOR = 512;
/** One sector in so many that are kept is kept up to somewhere in its middle. */
const TORN = 0.1;

/** What is in a file. */
export class FileContent {
  #buffer: Buffer;
  #length: number;

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#buffer = bytes;
    this.#length = bytes.length;
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  copy(): FileContent {
    return new FileContent(Buffer.from(this.bytes));
  }

  apply({ kind, offset, data }: JournalRecord): void {
    if (kind === 'write') this.#write(data, offset);
    else if (kind === 'truncate') this.#setLength(offset);
  }

  /** As the disk may have done it when its power went: `share` of it. */
  applyInPart({ kind, offset, data }: JournalRecord, share: number, random: () => number): void {
    if (kind === 'truncate' && random() < share) this.#setLength(offset);
    if (kind !== 'write') return;
    // A file may have its new length before it has its bytes.
    if (random() < share / 4) this.#setLength(Math.max(this.#length, offset + data.length));
    for (let from = 0; from < data.length; ) {
      const to = Math.min(data.length, from + SECTOR - ((offset + from) % SECTOR));
      const end = random() < TORN ? from + Math.floor(random() * (to - from)) : to;
      if (random() < share) this.#write(data.subarray(from, end), offset + from);
      from = to;
    }
  }

  #write(data: Buffer, offset: number): void {
    if (data.length === 0) return;
    this.#setLength(Math.max(this.#length, offset + data.length));
    data.copy(this.#buffer, offset);
  }

  #setLength(length: number): void {
    // What is behind the end reads as zeros when the file grows again.
    if (length < this.#length) this.#buffer.fill(0, length, this.#length);
    if (length > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(length, 2 * this.#buffer.length));
      this.bytes.copy(larger);
      this.#buffer = larger;
    }
    this.#length = length;
  }
}
