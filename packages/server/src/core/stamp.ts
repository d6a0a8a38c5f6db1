import { readInstant } from './instant.ts';

/** A client's time: its text, which is always kept, and the instant where the text can be read. */
export interface Stamp {
  readonly text: string;
  readonly instant: number;
}

/**
 * Null for no value: absent, null or an empty string. Any other value that is no string is kept as its JSON. Numbers, also as
 * text, are milliseconds since the epoch; numbers of 9 or 10 digits are seconds.
 */
export function readStamp(value: unknown): Stamp | null {
  if (value === undefined || value === null || value === '') return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return { text, instant: DIGITS.test(text) ? readInstant(inMilliseconds(Number(text))) : readInstant(value) };
}

/** From 9 digits on: a shorter number is a year, or a date without its hyphens. */
const DIGITS = /^\d{9,15}(\.\d{1,9})?$/;

function inMilliseconds(number: number): number {
  return number < 1e10 ? number * 1_000 : number;
}
