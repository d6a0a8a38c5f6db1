import type { Position } from '../../packages/server/src/core/event.ts';

interface Retrying {
  readonly entry: { readonly position: Position };
  readonly dueAt: number | null;
}

/**
 * Rows that are retrying: by position, and in the order in which they are due. A long queue is asked often: it is kept in order,
 * not sorted for each question.
 */
export class RetryRows<Row extends Retrying> {
  readonly #byPosition = new Map<Position, Row>();
  readonly #inOrder: Row[] = [];

  get size(): number {
    return this.#byPosition.size;
  }

  get(position: Position): Row | undefined {
    return this.#byPosition.get(position);
  }

  set(row: Row): void {
    this.#leaveOrder(row.entry.position);
    this.#byPosition.set(row.entry.position, row);
    this.#inOrder.splice(this.#placeOf(row), 0, row);
  }

  delete(position: Position): void {
    this.#leaveOrder(position);
    this.#byPosition.delete(position);
  }

  /** In the order in which they came. */
  all(): Row[] {
    return [...this.#byPosition.values()];
  }

  /** What is due first comes first; of one moment, the older event. */
  inOrder(): Iterable<Row> {
    return this.#inOrder.values();
  }

  #leaveOrder(position: Position): void {
    const row = this.#byPosition.get(position);
    if (row) this.#inOrder.splice(this.#placeOf(row), 1);
  }

  /** How many rows come before it. */
  #placeOf(row: Row): number {
    let [low, high] = [0, this.#inOrder.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#inOrder[middle];
      if (other && isBefore(other, row)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(a: Retrying, b: Retrying): boolean {
  const [dueA, dueB] = [a.dueAt ?? 0, b.dueAt ?? 0];
  return dueA < dueB || (dueA === dueB && a.entry.position < b.entry.position);
}
