import type { FaultCode } from '../core/fault.ts';

/** One refused call or request, as people see it. */
export interface Rejection {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly code: FaultCode;
  readonly message: string;
  /** The first 1 KiB of what was refused, as text. */
  readonly part: string;
}

export interface SourceRejections {
  /** Refusals since the process started, per code. */
  readonly counts: ReadonlyMap<FaultCode, number>;
  /** The last ones, newest first. */
  readonly last: readonly Rejection[];
}

const KEPT = 100;
const PART_BYTES = 1024;

/**
 * What was refused lately, per source: counts, and the last 100 with the part that was at fault. In memory only, and
 * bounded: about 100 KiB for a source that is refused a lot.
 */
export class Rejections {
  readonly #sources = new Map<string, Ring>();

  add(sourceId: string, at: number, code: FaultCode, message: string, part: string): void {
    let ring = this.#sources.get(sourceId);
    if (!ring) {
      ring = { counts: new Map(), last: [], next: 0 };
      this.#sources.set(sourceId, ring);
    }
    ring.counts.set(code, (ring.counts.get(code) ?? 0) + 1);
    ring.last[ring.next] = { at, code, message, part: cut(part) };
    ring.next = (ring.next + 1) % KEPT;
  }

  of(sourceId: string): SourceRejections {
    const ring = this.#sources.get(sourceId);
    if (!ring) return { counts: new Map(), last: [] };
    const { counts, last, next } = ring;
    return { counts, last: [...last.slice(next), ...last.slice(0, next)].reverse() };
  }

  /** Refusals of a source since the process started, whatever their code. */
  count(sourceId: string): number {
    return [...this.of(sourceId).counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The last of them, newest first. */
  recent(sourceId: string): readonly Rejection[] {
    return this.of(sourceId).last;
  }

  /** Takes out the parts that hold one of these texts whole, as a value or a key of JSON. */
  erase(texts: ReadonlySet<string>): void {
    for (const { last } of this.#sources.values()) {
      for (const [i, rejection] of last.entries()) {
        if (holds(rejection.part, texts)) last[i] = { ...rejection, part: '' };
      }
    }
  }

  /** Forgets every source that `exists` denies. */
  retain(exists: (sourceId: string) => boolean): void {
    for (const sourceId of this.#sources.keys()) if (!exists(sourceId)) this.#sources.delete(sourceId);
  }
}

interface Ring {
  readonly counts: Map<FaultCode, number>;
  readonly last: Rejection[];
  next: number;
}

/** A part may be cut, or no JSON at all: so its strings and numbers are looked at one by one, the last perhaps a beginning. */
function holds(part: string, texts: ReadonlySet<string>): boolean {
  for (const [token] of part.matchAll(/"(?:[^"\\]|\\.)*"?|-?\d+(?:\.\d+)?/g)) {
    const whole = !token.startsWith('"') || (token.length > 1 && token.endsWith('"'));
    const text = unescaped(whole ? token : `${token}"`);
    if (text === null) continue;
    if (texts.has(text)) return true;
    if (!whole && text !== '' && [...texts].some((each) => each.startsWith(text))) return true;
  }
  return false;
}

function unescaped(token: string): string | null {
  try {
    return String(JSON.parse(token));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** A copy: a slice of a string would keep the whole request in memory. */
function cut(part: string): string {
  const bytes = Buffer.from(part.slice(0, PART_BYTES), 'utf8');
  return bytes.toString('utf8', 0, PART_BYTES).replace(/\uFFFD+$/, '');
}
