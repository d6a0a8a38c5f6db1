import type { Position } from '../../core/event.ts';
import { indexOf, seqOf } from './position.ts';

interface Held {
  reply: string;
  /** By index in the batch: 1 if the event is settled, or does not exist. */
  readonly settled: Uint8Array;
  left: number;
}

/**
 * The batches that a lane received and has not acknowledged. A batch is acknowledged once each of its events is settled.
 * Nothing else of a batch stays in memory once all its events are returned.
 */
export class HeldBatches {
  readonly #held = new Map<number, Held>();

  get size(): number {
    return this.#held.size;
  }

  has(seq: number): boolean {
    return this.#held.has(seq);
  }

  /** Adds a batch with the positions of its events, none of them settled. The positions between them belong to removed events. */
  add(seq: number, reply: string, positions: readonly Position[]): void {
    const settled = new Uint8Array(indexOf(positions.at(-1) ?? 0) + 1).fill(1);
    for (const position of positions) settled[indexOf(position)] = 0;
    this.#held.set(seq, { reply, settled, left: positions.length });
  }

  /** The batch was delivered again because its ack wait was over. Its new reply subject replaces the old one. */
  renew(seq: number, reply: string): void {
    const held = this.#held.get(seq);
    if (held) held.reply = reply;
  }

  /** Notes that an event is settled. If it was the last one of its batch, answers the subject to which the batch is acknowledged. */
  settle(position: Position): string | undefined {
    const seq = seqOf(position);
    const held = this.#held.get(seq);
    if (held?.settled[indexOf(position)] !== 0) return undefined;
    held.settled[indexOf(position)] = 1;
    if (--held.left > 0) return undefined;
    this.#held.delete(seq);
    return held.reply;
  }

  /** Forgets a batch; answers its reply subject. */
  release(seq: number): string | undefined {
    const held = this.#held.get(seq);
    this.#held.delete(seq);
    return held?.reply;
  }

  /** The reply subjects of all held batches. */
  replies(): string[] {
    return Array.from(this.#held.values(), ({ reply }) => reply);
  }

  clear(): void {
    this.#held.clear();
  }
}
