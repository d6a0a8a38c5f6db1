import type { Event, NewEvent } from './event.ts';
import { isPlaceholderId } from './placeholder-ids.ts';

/** Ids that an event carries beside its userId, well-formed, as far as it is found by them. */
export interface CarriedIds {
  /** Of an event without a userId, or with a placeholder for one, and of an alias call. */
  readonly anonymousId: string | null;
  /** The earlier identity of an alias call. */
  readonly previousId: string | null;
}

const NONE: CarriedIds = { anonymousId: null, previousId: null };

const decoder = new TextDecoder();

/**
 * They are in the body only, which is read for events that are found by them, and whose anonymousId is not known.
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
