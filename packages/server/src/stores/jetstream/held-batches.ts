import type { Position } from '../../core/event.ts';
import { indexOf, seqOf } from './position.ts';

interface Held {
  reply: string;
  /** By place in the batch: 1 where nothing is left to settle. */
  readonly settled: Uint8Array;
  left: number;
}

/**
 * The batches that a lane was given and has not acknowledged. A batch is acknowledged when each of its events is; of one whose
 * events were all handed out only this little is kept.
 */
export class HeldBatches {
  readonly #held = new Map<number, Held>();

  get size(): number {
    return this.#held.size;
  }

  has(seq: number): boolean {
    return this.#held.has(seq);
  }

  /** Takes a batch with the positions of its events, of which none is settled. Places between them are of events that were removed. */
  add(seq: number, reply: string, positions: readonly Position[]): void {
    const settled = new Uint8Array(indexOf(positions.at(-1) ?? 0) + 1).fill(1);
    for (const position of positions) settled[indexOf(position)] = 0;
    this.#held.set(seq, { reply, settled, left: positions.length });
  }

  /** It was handed out again, because its time was up: the newer answer is the one that counts. */
  renew(seq: number, reply: string): void {
    const held = this.#held.get(seq);
    if (held) held.reply = reply;
  }

  /** Notes that an event is settled. Answers where its batch is acknowledged, when it was the last one of it. */
  settle(position: Position): string | undefined {
    const seq = seqOf(position);
    const held = this.#held.get(seq);
    if (held?.settled[indexOf(position)] !== 0) return undefined;
    held.settled[indexOf(position)] = 1;
    if (--held.left > 0) return undefined;
    this.#held.delete(seq);
    return held.reply;
  }

  /** Lets go of a batch; answers where that is said. */
  release(seq: number): string | undefined {
    const held = this.#held.get(seq);
    this.#held.delete(seq);
    return held?.reply;
  }

  /** Where each of them is answered. */
  replies(): string[] {
    return Array.from(this.#held.values(), ({ reply }) => reply);
  }

  clear(): void {
    this.#held.clear();
  }
}
