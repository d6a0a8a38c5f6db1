/**
 * The instant a timestamp names, in milliseconds since the epoch; NaN when it can't be read (contract 1.4).
 *
 * Read are ISO 8601 date-times, leniently: offsets with or without a colon (none means UTC), a space for the `T`, any
 * precision from the date alone to nanoseconds, one-digit months, days and hours; and numbers, which are milliseconds
 * since the epoch. Years are 0000 to 9999, so that every instant has a 24-character form.
 */
export function readInstant(value: unknown): number {
  if (typeof value === 'string') {
    const instant = canonicalInstant(value);
    return Number.isNaN(instant) ? lenientInstant(value) : instant;
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

/** The fast path: exactly `YYYY-MM-DDTHH:MM:SS.mmmZ`, which nearly every client sends. */
function canonicalInstant(text: string): number {
  if (text.length !== 24 || text.charCodeAt(10) !== 84 || text.charCodeAt(23) !== 90) return Number.NaN;
  if (text.charCodeAt(19) !== 46) return Number.NaN;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45) return Number.NaN;
  if (text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) return Number.NaN;
  return instantOf(
    twoDigits(text, 0) * 100 + twoDigits(text, 2),
    twoDigits(text, 5),
    twoDigits(text, 8),
    twoDigits(text, 11),
    twoDigits(text, 14),
    twoDigits(text, 17),
    twoDigits(text, 20) * 10 + digit(text, 22),
  );
}

function digit(text: string, at: number): number {
  const code = text.charCodeAt(at) - 48;
  return code >= 0 && code <= 9 ? code : Number.NaN;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
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

/** NaN where a part is out of its range (the 31st of February too) or is itself NaN. */
function instantOf(year: number, month: number, day: number, h: number, m: number, s: number, ms: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && h < 24 && m < 60 && s < 60)) {
    return Number.NaN;
  }
  return daysSinceEpoch(year, month, day) * MS_PER_DAY + ((h * 60 + m) * 60 + s) * 1000 + ms;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Days since 1970-01-01 in the Gregorian calendar; years begin in March so that the leap day comes last. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return 365 * y + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}
