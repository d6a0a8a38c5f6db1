/** A time in which something holds: from ≤ now < until, milliseconds since the epoch. Never empty. */
export interface Span {
  /** −Infinity where there is no beginning. */
  readonly from: number;
  /** Infinity where there is no end. */
  readonly until: number;
}

export const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** The time in which both hold; null where there is none. */
export function overlap(one: Span, other: Span): Span | null {
  if (one === ALWAYS) return other;
  if (other === ALWAYS) return one;
  const from = Math.max(one.from, other.from);
  const until = Math.min(one.until, other.until);
  return from < until ? { from, until } : null;
}

export function holds(span: Span | null, now: number): boolean {
  return span !== null && span.from <= now && now < span.until;
}

/** The first edge of the span after `now`; null where none comes. */
export function nextEdge(span: Span | null, now: number): number | null {
  if (span === null || span.until <= now) return null;
  if (span.from > now) return span.from;
  return span.until === Number.POSITIVE_INFINITY ? null : span.until;
}

/** The earlier of two times; null stands for never. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
