/** A stretch of time: up to now, or between two moments (ISO 8601). */
export type Range = { readonly last: '1h' | '24h' | '7d' } | { readonly from: string; readonly to: string };

const HOUR = 60 * 60 * 1000;

const LENGTHS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR } as const;

/** A stretch of time as it stands in an address; nothing of it: any time. */
export interface RangeSearch {
  readonly range?: string;
  readonly from?: string;
  readonly to?: string;
}

/** Null for any time. */
export function rangeFrom({ range, from, to }: RangeSearch): Range | null {
  if (range === '1h' || range === '24h' || range === '7d') return { last: range };
  return isMoment(from) && isMoment(to) ? { from, to } : null;
}

/** The longest time that charts show, milliseconds: the service answers 300 steps of a day. */
export const LONGEST_SHOWN: number = 299 * 24 * HOUR;

/** What a page of charts shows: the last hour, unless its address says otherwise; of a longer time its end. */
export function shownRange(search: RangeSearch): Range {
  const range = rangeFrom(search) ?? { last: '1h' };
  if (isLive(range)) return range;
  const first = Date.parse(range.to) - LONGEST_SHOWN;
  return Date.parse(range.from) < first ? { ...range, from: new Date(first).toISOString() } : range;
}

/** All that an address says of it: what is empty is left out there, in the place of what it said before. */
export function searchFor(range: Range | null): Required<RangeSearch> {
  if (range === null) return { range: '', from: '', to: '' };
  return isLive(range) ? { range: range.last, from: '', to: '' } : { range: '', ...range };
}

/** Its end moves with the clock. */
export function isLive(range: Range): range is Extract<Range, { last: unknown }> {
  return 'last' in range;
}

/** As the API takes it. */
export function boundsOf(range: Range, now: number): { from: string; to: string } {
  if (!isLive(range)) return { from: range.from, to: range.to };
  return { from: new Date(now - LENGTHS[range.last]).toISOString(), to: new Date(now).toISOString() };
}

/** As an input of type `datetime-local` has it: in the viewer's zone, to the minute. */
export function localInput(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The same for lists: what moves with the clock has no end, so that what comes later belongs to it. */
export function openBoundsOf(range: Range, now: number): { from: string; to?: string } {
  const { from, to } = boundsOf(range, now);
  return isLive(range) ? { from } : { from, to };
}

export function rangeName(range: Range): string {
  if (!isLive(range)) return 'the chosen time';
  return { '1h': 'the last hour', '24h': 'the last 24 hours', '7d': 'the last 7 days' }[range.last];
}

function isMoment(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}
