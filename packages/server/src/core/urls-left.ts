/**
 * What stands in the retry queue for the URLs left of a message, beside their ids: marks of what is known of it and of the others. No id
 * begins with one.
 */

/** It waits, untried, for an earlier call of its user. */
export const PARKED = '~';

/** A URL of a destination that asks for each has taken it. */
export const TAKEN = '+';

/** A replay is to send it to one URL alone. */
export const ONLY = '=';

/** Before the id of a URL that has refused it for good. */
export const REFUSED = '!';

interface UrlsLeft {
  readonly urlsLeft: readonly string[] | null;
}

export function isParked({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.[0] === PARKED;
}

/** Whether a URL has taken it in earlier rounds. */
export function wasTaken({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.includes(TAKEN) === true;
}

export function isForOne({ urlsLeft }: UrlsLeft): boolean {
  return urlsLeft?.includes(ONLY) === true;
}

/** Whether a URL has answered it for good in earlier rounds: of those that are gone, no other one need take it then. */
export function wasAnswered(message: UrlsLeft): boolean {
  return wasTaken(message) || refusedBy(message).length > 0;
}

/** The URLs that refused it for good in earlier rounds, as they are noted. */
export function refusedBy({ urlsLeft }: UrlsLeft): string[] {
  return urlsLeft?.filter((id) => id.startsWith(REFUSED)) ?? [];
}
