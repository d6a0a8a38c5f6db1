import type { Event } from './event.ts';

/** Ids that an event carries beside its userId, well-formed, as far as it is found by them. */
export interface CarriedIds {
  /** Of an event without a userId, and of an alias call. */
  readonly anonymousId: string | null;
  /** The earlier identity of an alias call. */
  readonly previousId: string | null;
}

const NONE: CarriedIds = { anonymousId: null, previousId: null };

const decoder = new TextDecoder();

/** They are in the body only, which is read for events that are found by them. */
export function carriedIds({ type, userId, body }: Pick<Event, 'type' | 'userId' | 'body'>): CarriedIds {
  if (type === 'delete' || (type !== 'alias' && userId !== null)) return NONE;
  try {
    const call = JSON.parse(decoder.decode(body)) as Record<string, unknown>;
    return { anonymousId: idIn(call['anonymousId']), previousId: idIn(type === 'alias' && call['Previous ID']) };
  } catch (error) {
    if (error instanceof SyntaxError) return NONE;
    throw error;
  }
}

function idIn(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed() : null;
}
