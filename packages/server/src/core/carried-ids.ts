import type { Event, NewEvent } from './event.ts';
import { isPlaceholderId } from './placeholder-ids.ts';

/** The well-formed ids, beside the userId, by which an event is found. */
export interface CarriedIds {
  /** Null for an event with a userId that identifies a person, unless it is an alias call. */
  readonly anonymousId: string | null;
  /** The earlier identity of an alias call. */
  readonly previousId: string | null;
}

const NONE: CarriedIds = { anonymousId: null, previousId: null };

const decoder = new TextDecoder();

/**
 * These ids are in the body only. It is parsed only for an event that is found by them and whose anonymousId is not known yet.
 *
 * @param placeholderIds Values of a userId that identify no person, beside the usual ones (`isPlaceholderId`).
 */
export function carriedIds(
  { type, userId, anonymousId, body }: Pick<Event, 'type' | 'userId' | 'body'> & Pick<NewEvent, 'anonymousId'>,
  placeholderIds?: ReadonlySet<string>,
): CarriedIds {
  if (type === 'delete' || (type !== 'alias' && userId !== null && !isPlaceholderId(userId, placeholderIds)))
    return NONE;
  if (type !== 'alias' && anonymousId !== undefined) return { anonymousId: idIn(anonymousId), previousId: null };
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
