import { readInstant } from './instant.ts';

/** What a client said about a moment: its own text, which is always kept, and the instant if it can be read. */
export interface Stamp {
  readonly text: string;
  readonly instant: number;
}

/**
 * Null when nothing was given: absent, null or an empty string. A value that is no string is kept as its JSON. Numbers, also as text,
 * are milliseconds since the epoch, those of 9 or 10 digits seconds.
 */
export function readStamp(value: unknown): Stamp | null {
  if (value === undefined || value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { text, instant: DIGITS.test(text) ? readInstant(inMilliseconds(Number(text))) : readInstant(value) };
}

/** From 9 digits on: what is shorter is a year, or a date without its hyphens. */
const DIGITS = /^\d{9,15}(\.\d{1,9})?$/;

function inMilliseconds(number: number): number {
  return number < 1e10 ? number * 1_000 : number;
}
