import type { Position } from '../core/event.ts';
import type { Offsets } from '../core/position.ts';
import type { ErasedProfiles, FoundPage, Subject } from './contract.ts';

/** The search for the users' events, for the regulation under way. Kept in memory only. */
export class Search {
  readonly regulationId: string;
  /** Events after these offsets are not removed. */
  readonly through: Offsets;
  /** Every id that the users' events may carry, without repetition. */
  readonly ids: readonly string[];
  /** Those of them that other users may share. */
  readonly anonymousIds: readonly string[];
  readonly #userIds: readonly string[];
  /** For each id, the places of the users it belongs to. */
  readonly #places = new Map<string, number[]>();
  /** For each user's place, the number of events by source. */
  readonly #seen = new Map<number, Map<string, number>>();
  #found = 0;
  #after: Position = 0;

  constructor(regulationId: string, userIds: readonly string[], erased: ErasedProfiles) {
    const { through, ids: idsOf, anonymousIds = [], sources = [] } = erased;
    this.regulationId = regulationId;
    // These sources count as having seen the user even without events in the log, so their destinations get the notice.
    for (const [place, seen] of sources.entries())
      this.#seen.set(place, new Map(seen.map((sourceId) => [sourceId, 0])));
    this.#userIds = userIds;
    this.through = through;
    this.anonymousIds = anonymousIds;
    for (const [place, userId] of userIds.entries()) {
      for (const id of new Set([userId, ...(idsOf[place] ?? [])])) {
        this.#places.set(id, [...(this.#places.get(id) ?? []), place]);
      }
    }
    this.ids = [...this.#places.keys()];
  }

  /** Counts a page of events: each event once per user it belongs to. All matches of one event are in the same page. */
  add({ events, next }: FoundPage): void {
    this.#after = next ?? this.#after;
    for (const [, found] of Map.groupBy(events, ({ position }) => position)) {
      this.#found++;
      const sourceId = found[0]?.sourceId ?? '';
      for (const place of new Set(found.flatMap(({ id }) => this.#places.get(id) ?? []))) {
        const sources = this.#seen.get(place) ?? new Map<string, number>();
        this.#seen.set(place, sources.set(sourceId, (sources.get(sourceId) ?? 0) + 1));
      }
    }
  }

  /** The next page begins after this position. */
  get after(): Position {
    return this.#after;
  }

  /** Number of events found. */
  get found(): number {
    return this.#found;
  }

  /** The users with the sources that have seen them. */
  get subjects(): readonly Subject[] {
    return this.#userIds.map((userId, place) => {
      const sources = [...(this.#seen.get(place) ?? [])];
      return { place, userId, sources: sources.map(([sourceId, events]) => ({ sourceId, events, notice: null })) };
    });
  }
}
