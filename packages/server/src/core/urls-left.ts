/**
 * Marks in the retry queue's list of URLs left, beside the ids of URLs: what is known of the message and of its other URLs. No id
 * begins with one of them.
 */

/** The message waits, untried, for an earlier call of its user. */
export const PARKED = '~';

/** A URL has taken the message; its destination asks for all URLs. */
export const TAKEN = '+';

/** A replay sends the message to one URL only. */
export const ONLY = '=';

/** Stands before the id of a URL that refused the message for good. */
export const REFUSED = '!';

interface UrlsLeft {
  readonly urlsLeft: readonly string[] | null;
}

export function isParked({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.[0] === PARKED;
}

/** Whether a URL took the message in an earlier round. */
export function wasTaken({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.includes(TAKEN) === true;
}

export function isForOne({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.includes(ONLY) === true;
}

/** Whether a URL has finally answered the message in an earlier round. Then no new URL takes the place of URLs that are gone. */
export function wasAnswered(message: UrlsLeft): boolean {
  return wasTaken(message) || refusedBy(message).length > 0;
}

/** The URLs that refused the message for good in earlier rounds, as the marks have them. */
export function refusedBy({ urlsLeft }: UrlsLeft): string[] {
  return urlsLeft?.filter((id) => id.startsWith(REFUSED)) ?? [];
}
