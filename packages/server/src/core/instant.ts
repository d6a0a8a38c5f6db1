/**
 * The instant a timestamp names, in milliseconds since the epoch; NaN when it can't be read (contract 1.4).
 *
 * Read are ISO 8601 date-times, leniently: offsets with or without a colon (none means UTC), a space for the `T`, any
 * precision from the date alone to nanoseconds, one-digit months, days and hours; and numbers, which are milliseconds
 * since the epoch. Years are 0000 to 9999, so that every instant has a 24-character form.
 */
export function readInstant(value: unknown): number {
  if (typeof value === 'string') {
    // The fast path: nearly every client sends the canonical form, of which Date says the same.
    const instant = value.length === 24 ? inRange(Date.parse(value)) : Number.NaN;
    return !Number.isNaN(instant) && isoText(instant) === value ? instant : lenientInstant(value);
  }
  return typeof value === 'number' ? inRange(Math.trunc(value)) : Number.NaN;
}

/** ISO 8601 UTC with milliseconds, for any time. */
export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

/**
 * ISO 8601 UTC with milliseconds, for a whole number of milliseconds in the years 0000 to 9999. Neighbouring calls come
 * from the same day, so its text is kept: this is five times as fast as Date's own.
 */
export function isoText(instant: number): string {
  const day = Math.floor(instant / MS_PER_DAY);
  if (day !== lastDay) {
    lastDayText = new Date(day * MS_PER_DAY).toISOString().slice(0, 11);
    lastDay = day;
  }
  const ms = instant - day * MS_PER_DAY;
  const minutes = Math.floor(ms / 60_000);
  const clock = `${padded(Math.floor(minutes / 60))}:${padded(minutes % 60)}:${padded(Math.floor(ms / 1000) % 60)}`;
  const rest = ms % 1000;
  return `${lastDayText}${clock}.${rest < 100 ? '0' : ''}${padded(rest)}Z`;
}

let lastDay = Number.NaN;
let lastDayText = '';

function padded(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}

const MS_PER_DAY = 86_400_000;
const FIRST_INSTANT = -62_167_219_200_000;
const LAST_INSTANT = 253_402_300_799_999;

/** NaN for what lies out of the years 0000 to 9999. */
export function inRange(instant: number): number {
  return instant >= FIRST_INSTANT && instant <= LAST_INSTANT ? instant : Number.NaN;
}

const LENIENT =
  /^\s*(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[Tt ](\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(?:([Zz])|([+-])(\d{2}):?(\d{2})?)?)?)?\s*$/;

function lenientInstant(text: string): number {
  if (text.length > 64) return Number.NaN;
  const parts = LENIENT.exec(text);
  if (!parts) return Number.NaN;
  const [, year, month, day = '1', hour = '0', minute = '0', second = '0', fraction = '', , sign, hours, minutes] =
    parts;
  const local = instantOf(
    Number(year),
    Number(month),
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    Number(fraction.slice(0, 3).padEnd(3, '0')),
  );
  if (sign === undefined) return local;
  const offset = Number(hours) * 60 + Number(minutes ?? 0);
  if (offset >= 24 * 60) return Number.NaN;
  return inRange(local - (sign === '-' ? -offset : offset) * 60_000);
}

/** NaN where a part is out of its range, the 31st of February too. */
function instantOf(year: number, month: number, day: number, h: number, m: number, s: number, ms: number): number {
  const date = new Date(0);
  // Of another month where there is no such day, or no such month.
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && h < 24 && m < 60 && s < 60 ? date.setUTCHours(h, m, s, ms) : Number.NaN;
}
