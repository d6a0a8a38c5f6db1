const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** `4 sec. ago`, `in 2 hr.`; `now` within a second, and of one that is as much later as the known time may be old. */
export function relative(at: number, now: number): string {
  const distance = at - now;
  const [unit, length] = UNITS.find(([, ms]) => Math.abs(distance) >= ms) ?? ['second', 1_000];
  const steps = Math.trunc(distance / length);
  return steps === 0 || (distance > 0 && distance < 2_000) ? 'now' : RELATIVE.format(steps, unit);
}

// All pages write times in English, as all their words are. Only the zone is the viewer's.
const DATE = { day: 'numeric', month: 'short' } as const;
const MINUTES = { hour: '2-digit', minute: '2-digit' } as const;
const MILLISECONDS = { ...MINUTES, second: '2-digit', fractionalSecondDigits: 3 } as const;
const WHOLE = { ...DATE, year: 'numeric', timeZoneName: 'short' } as const;

/** Writes a moment in the viewer's zone. */
type Writer = (at: Date) => string;

function writer(options: Intl.DateTimeFormatOptions): Writer {
  const format = new Intl.DateTimeFormat('en-GB', options);
  return (at) => format.format(at);
}

/** To the millisecond: `21 Nov 2026, 10:15:30.123 CET`. */
export const local: Writer = writer({ ...WHOLE, ...MILLISECONDS });

/** To the minute: `21 Nov 2026, 10:15 CET`. */
export const localMinute: Writer = writer({ ...WHOLE, ...MINUTES });

/** `10:15:30.123` */
export const clockTime: Writer = writer(MILLISECONDS);

/** `21 Nov` */
export const day: Writer = writer(DATE);

/** `10:15` */
export const timeOfDay: Writer = writer(MINUTES);

/** `2026-11-21 10:15:30.123 UTC` */
export function utc(at: Date): string {
  return `${at.toISOString().replace('T', ' ').replace('Z', '')} UTC`;
}
