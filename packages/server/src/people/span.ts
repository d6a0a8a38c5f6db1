/** The moments at which something holds: from ≤ now < until, in milliseconds since the epoch. Never empty. */
export interface Span {
  /** −Infinity where it has always held. */
  readonly from: number;
  /** Infinity where it never ends. */
  readonly until: number;
}

export const ALWAYS: Span = { from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** When both hold; null when they never do together. */
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

/** The first moment after `now` at which the span begins or ends; null when time alone changes nothing from then on. */
export function nextEdge(span: Span | null, now: number): number | null {
  if (span === null || span.until <= now) return null;
  if (span.from > now) return span.from;
  return span.until === Number.POSITIVE_INFINITY ? null : span.until;
}

/** The earlier of two moments, where null is never. */
export function earlier(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  return other === null ? one : Math.min(one, other);
}
