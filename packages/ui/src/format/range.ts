/** A time range: up to now, or between two moments (ISO 8601). */
export type Range = { readonly last: '1h' | '24h' | '7d' } | { readonly from: string; readonly to: string };

const HOUR = 60 * 60 * 1000;

const LENGTHS = { '1h': HOUR, '24h': 24 * HOUR, '7d': 7 * 24 * HOUR } as const;

/** Parameters of an address. An empty one is left out of it. */
export type Texts<Name extends string> = { readonly [Key in Name]?: string };

/** A time range as parameters of an address. Without any: any time. */
export type RangeSearch = Texts<'range' | 'from' | 'to'>;

/** Null means any time. */
export function rangeFrom({ range, from, to }: RangeSearch): Range | null {
  if (range === '1h' || range === '24h' || range === '7d') return { last: range };
  return isMoment(from) && isMoment(to) ? { from, to } : null;
}

/** The longest range of a chart, in milliseconds. The service answers at most 300 steps of a day. */
export const LONGEST_SHOWN: number = 299 * 24 * HOUR;

/** The range of a page of charts. Default: the last hour. Of a range that is too long, its end. */
export function shownRange(search: RangeSearch): Range {
  const range = rangeFrom(search) ?? { last: '1h' };
  if (isLive(range)) return range;
  const first = Date.parse(range.to) - LONGEST_SHOWN;
  return Date.parse(range.from) < first ? { ...range, from: new Date(first).toISOString() } : range;
}

/** All parameters of a range for an address. Empty ones remove the earlier values from the address. */
export function searchFor(range: Range | null): Required<RangeSearch> {
  if (range === null) return { range: '', from: '', to: '' };
  return isLive(range) ? { range: range.last, from: '', to: '' } : { range: '', ...range };
}

/** Whether the range ends now. */
export function isLive(range: Range): range is Extract<Range, { last: unknown }> {
  return 'last' in range;
}

/** The range as the API takes it. */
export function boundsOf(range: Range, now: number): { from: string; to: string } {
  if (!isLive(range)) return { from: range.from, to: range.to };
  return { from: new Date(now - LENGTHS[range.last]).toISOString(), to: new Date(now).toISOString() };
}

/** The value for an input of type `datetime-local`: in the viewer's zone, to the minute. */
export function localInput(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Like `boundsOf`, for lists: a range up to now has no end, so that later items belong to it. */
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
