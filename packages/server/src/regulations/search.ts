import type { Offsets } from '../core/position.ts';
import type { ErasedProfiles, FoundEvent, Subject } from './contract.ts';

/** What is known of the users of the regulation under way, beside what is saved. */
export class Search {
  readonly regulationId: string;
  /** Events after these offsets are left alone. */
  readonly through: Offsets;
  /** Every id that events of these users may carry, each once. */
  readonly ids: readonly string[];
  readonly #userIds: readonly string[];
  /** Which users an id belongs to, by their places. */
  readonly #places = new Map<string, number[]>();
  /** Events by source, by the user's place. */
  readonly #seen = new Map<number, Map<string, number>>();
  #found = 0;

  constructor(regulationId: string, userIds: readonly string[], { through, ids: idsOf, sources = [] }: ErasedProfiles) {
    this.regulationId = regulationId;
    // Who was seen is told of the deletion, though nothing of it is left.
    for (const [place, seen] of sources.entries())
      this.#seen.set(place, new Map(seen.map((sourceId) => [sourceId, 0])));
    this.#userIds = userIds;
    this.through = through;
    for (const [place, userId] of userIds.entries()) {
      for (const id of new Set([userId, ...(idsOf[place] ?? [])])) {
        this.#places.set(id, [...(this.#places.get(id) ?? []), place]);
      }
    }
    this.ids = [...this.#places.keys()];
  }

  /** Counts a page of events: each once for each user it belongs to. All that one event carries is in one page. */
  add(events: readonly FoundEvent[]): void {
    for (const [, found] of Map.groupBy(events, ({ position }) => position)) {
      this.#found++;
      const sourceId = found[0]?.sourceId ?? '';
      for (const place of new Set(found.flatMap(({ id }) => this.#places.get(id) ?? []))) {
        const sources = this.#seen.get(place) ?? new Map<string, number>();
        this.#seen.set(place, sources.set(sourceId, (sources.get(sourceId) ?? 0) + 1));
      }
    }
  }

  /** Events that were found. */
  get found(): number {
    return this.#found;
  }

  /** The users, with the sources that have seen them. */
  get subjects(): readonly Subject[] {
    return this.#userIds.map((userId, place) => {
      const sources = [...(this.#seen.get(place) ?? [])];
      return { place, userId, sources: sources.map(([sourceId, events]) => ({ sourceId, events, notice: null })) };
    });
  }
}
