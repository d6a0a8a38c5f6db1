import type { Event, NewEvent } from './event.ts';
import { isPlaceholderId } from './placeholder-ids.ts';

/** The well-formed ids, beside the userId, that an event is stored with. */
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
  if (type === 'delete' || (type !== 'alias' && identifies(userId, placeholderIds))) return NONE;
  if (type !== 'alias' && anonymousId !== undefined) return { anonymousId: idIn(anonymousId), previousId: null };
  try {
    const call = JSON.parse(decoder.decode(body)) as Record<string, unknown>;
    return { anonymousId: idIn(call['anonymousId']), previousId: idIn(type === 'alias' && call['Previous ID']) };
  } catch (error) {
    if (error instanceof SyntaxError) return NONE;
    throw error;
  }
}

/** What a deletion looks for. */
export interface Sought {
  readonly ids: readonly string[];
  /** Those of the ids that calls of other users may carry too. */
  readonly anonymousIds: readonly string[];
  /** See `carriedIds`. */
  readonly placeholderIds: ReadonlySet<string> | undefined;
}

/**
 * Answers which of the sought ids an event is found by, each once. An alias call belongs to its userId, like every call of a
 * user: its anonymousId does not find it, nor does a previousId that is an anonymous id.
 */
export function finderOf({ ids, anonymousIds, placeholderIds }: Sought): (event: Findable) => string[] {
  const sought = new Set(ids);
  const anonymous = new Set(anonymousIds);
  return ({ type, userId, anonymousId, previousId }) => {
    const isUsers = type === 'alias' && identifies(userId, placeholderIds);
    const earlier = isUsers && previousId !== null && anonymous.has(previousId) ? null : previousId;
    const found = new Set([userId, isUsers ? null : anonymousId, earlier]);
    return [...found].filter((id) => id !== null).filter((id) => sought.has(id));
  };
}

type Findable = Pick<Event, 'type' | 'userId'> & CarriedIds;

function identifies(userId: string | null, placeholderIds: ReadonlySet<string> | undefined): boolean {
  return userId !== null && !isPlaceholderId(userId, placeholderIds);
}

function idIn(value: unknown): string | null {
  return typeof value === 'string' ? value.toWellFormed() : null;
}
