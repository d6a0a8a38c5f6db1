import type { Clock } from '../core/clock.ts';

/** Width of a slot, milliseconds: a deadline is met this much late at most, and never early. */
const WIDTH = 5;

/**
 * The same deadline for many things: each one added has `after` milliseconds until it is removed, or `missed` is called
 * with it. Those added within 5 ms share a timer, so that none is made per request; and the timer counts from then, so
 * that a step of the wall clock neither shortens nor stretches what is under way.
 */
export class Deadlines<Item> {
  readonly #clock: Clock;
  readonly #after: number;
  readonly #missed: (item: Item) => void;
  readonly #slots = new Set<Slot<Item>>();
  #open: Slot<Item> | null = null;

  constructor(clock: Clock, after: number, missed: (item: Item) => void) {
    this.#clock = clock;
    this.#after = after;
    this.#missed = missed;
  }

  /** Answers the slot that `remove` has to be given. */
  add(item: Item): Slot<Item> {
    const now = this.#clock.now();
    let slot = this.#open;
    if (slot === null || now < slot.openedAt || now >= slot.openedAt + WIDTH) slot = this.#openSlot(now);
    slot.items.add(item);
    return slot;
  }

  remove(item: Item, slot: Slot<Item>): void {
    slot.items.delete(item);
    if (slot !== this.#open) this.#dropIfEmpty(slot);
  }

  /** Everything whose time runs. */
  all(): Item[] {
    return [...this.#slots].flatMap((slot) => [...slot.items]);
  }

  #openSlot(now: number): Slot<Item> {
    const last = this.#open;
    const slot: Slot<Item> = {
      openedAt: now,
      items: new Set(),
      cancel: this.#clock.after(this.#after + WIDTH, () => this.#expire(slot)),
    };
    this.#slots.add(slot);
    this.#open = slot;
    if (last !== null) this.#dropIfEmpty(last);
    return slot;
  }

  #dropIfEmpty(slot: Slot<Item>): void {
    if (slot.items.size > 0) return;
    slot.cancel();
    this.#slots.delete(slot);
  }

  #expire(slot: Slot<Item>): void {
    if (this.#open === slot) this.#open = null;
    this.#slots.delete(slot);
    for (const item of slot.items) this.#missed(item);
  }
}

export interface Slot<Item> {
  readonly openedAt: number;
  readonly items: Set<Item>;
  readonly cancel: () => void;
}
