/** Ids that a generation takes before the next one begins: the newest one to two of these are remembered. */
const GENERATION = 250_000;

/**
 * What tells duplicates of the events that this process appended last, and when. It is what makes duplicates exact within a process: the index
 * beside the stream knows an id only after a moment.
 */
export class RecentIds {
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  /** Whether this key was added at or after `since` (milliseconds since the epoch), as far as is remembered. */
  has(key: string, since: number): boolean {
    const at = this.#young.get(key) ?? this.#old.get(key);
    return at !== undefined && at >= since;
  }

  add(key: string, at: number): void {
    this.#young.set(key, at);
    if (this.#young.size < GENERATION) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
