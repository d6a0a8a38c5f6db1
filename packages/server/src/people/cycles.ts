import type { Condition } from './definition.ts';
import { mentions } from './mentions.ts';

export type EvaluationOrder =
  /** Ids, each after those it asks about. */
  | { readonly order: readonly string[] }
  /** Ids, each asking about the next and the last about the first, which is written again at the end. */
  | { readonly circle: readonly string[] };

/**
 * The order in which audiences can be decided, or the circle that makes it impossible. Audiences that are asked about
 * and not among `conditions` ask about nothing.
 */
export function evaluationOrder(conditions: ReadonlyMap<string, Condition>): EvaluationOrder {
  const open = new Map<string, Set<string>>();
  const askers = new Map<string, string[]>();
  for (const [id, condition] of conditions) {
    const asked = new Set([...mentions(condition).audiences].filter((other) => conditions.has(other)));
    open.set(id, asked);
    for (const other of asked) {
      const ids = askers.get(other) ?? [];
      ids.push(id);
      askers.set(other, ids);
    }
  }
  const order = [...open].filter(([, asked]) => asked.size === 0).map(([id]) => id);
  // The list grows while it is read: one that has nothing left to ask joins its end.
  for (const id of order) {
    open.delete(id);
    for (const asker of askers.get(id) ?? []) {
      const asked = open.get(asker);
      if (asked?.delete(id) && asked.size === 0) order.push(asker);
    }
  }
  return open.size === 0 ? { order } : { circle: circleIn(open) };
}

/** Everyone here asks about someone here, so those who follow the questions come back to where they have been. */
function circleIn(open: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const path: string[] = [];
  for (let id = firstOf(open.keys()); ; id = firstOf(open.get(id) ?? [])) {
    const seen = path.indexOf(id);
    path.push(id);
    if (seen !== -1) return path.slice(seen);
  }
}

function firstOf(ids: Iterable<string>): string {
  for (const id of ids) return id;
  throw new Error('an audience outside every circle was left over');
}
