/** The longest Retry-After that is taken as it is, milliseconds: 30 days, more than any sensible retry window. */
export const MAX_RETRY_AFTER = 2_592_000_000;

/** Milliseconds to wait, from the value of a Retry-After header (seconds, or an HTTP date); null when it can't be read. */
export function parseRetryAfter(value: string, now: number): number | null {
  const text = value.trim();
  const wait = SECONDS.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? dateOf(text) - now : Number.NaN;
  return Number.isNaN(wait) ? null : Math.min(Math.max(Math.ceil(wait), 0), MAX_RETRY_AFTER);
}

/** The standard allows no fractions, but rate limiters send them. */
const SECONDS = /^-?\d+(\.\d+)?$/;

/** The three forms of RFC 9110, section 5.6.7. `Date.parse` alone takes almost anything for a date. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*\d\d:\d\d:\d\d( GMT| \d{4})$/;

function dateOf(text: string): number {
  // The oldest form names no zone; all are UTC.
  return Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
}
