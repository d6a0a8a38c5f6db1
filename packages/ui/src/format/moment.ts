const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** `4 sec. ago`, `in 2 hr.`; `now` within a second. */
export function relative(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1_000];
  const steps = Math.trunc(distance / length);
  return steps === 0 ? 'now' : RELATIVE.format(steps, unit);
}

/** In the viewer's zone, to the millisecond: `21 Nov 2026, 10:15:30.123 CET`. */
export function local(at: Date): string {
  return LOCAL.format(at);
}

/** In the viewer's zone, to the minute: `21 Nov 2026, 10:15 CET`. */
export function localMinute(at: Date): string {
  return MINUTE.format(at);
}

/** The time of day in the viewer's zone: `10:15:30.123`. */
export function clockTime(at: Date): string {
  return CLOCK.format(at);
}

/** `2026-11-21 10:15:30.123 UTC` */
export function utc(at: Date): string {
  return `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}

/** `21 Nov`, in the viewer's zone. */
export function day(at: Date): string {
  return DAY.format(at);
}

/** `10:15`, in the viewer's zone. */
export function timeOfDay(at: Date): string {
  return TIME.format(at);
}

// One way of writing, as the words around it are of one language. Only the zone is the viewer's.
const LANGUAGE = 'en-GB';
const DATE = { day: 'numeric', month: 'short' } as const;
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const MILLISECONDS = { ...MINUTES, second: '2-digit', fractionalSecondDigits: 3 } as const;
const WHOLE = { ...DATE, year: 'numeric', timeZoneName: 'short' } as const;

const LOCAL = new Intl.DateTimeFormat(LANGUAGE, { ...WHOLE, ...MILLISECONDS });
const MINUTE = new Intl.DateTimeFormat(LANGUAGE, { ...WHOLE, ...MINUTES });
const CLOCK = new Intl.DateTimeFormat(LANGUAGE, MILLISECONDS);
const DAY = new Intl.DateTimeFormat(LANGUAGE, DATE);
const TIME = new Intl.DateTimeFormat(LANGUAGE, MINUTES);
