import { InvalidArgumentError, Option } from 'commander';
import { parseDuration } from '../core/duration.ts';
import { readStamp } from '../core/stamp.ts';

/** Reads a whole number within its limits. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}

/** Reads a number above 0, up to a limit. */
export function numberUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,9}(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number above 0 and at most ${max}.`);
  };
}

/** The longest time that a timer of Node.js supports, milliseconds: about 24 days. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** Reads `500ms`, `5s`, `10m`… as milliseconds. */
function milliseconds(text: string, isWait: boolean): number {
  const value = parseDuration(text);
  if (value !== undefined && !(isWait && value > LONGEST_WAIT)) return value;
  throw new InvalidArgumentError(`It must be a duration like 500ms, 5s or 10m${isWait ? ', of 24d at most' : ''}.`);
}

/** An option for a time to wait, in milliseconds. The help shows the default as text (`5s`). */
export function waitOption(flags: string, description: string, fallback: string): Option {
  return optionOf(flags, description, fallback, true);
}

/** An option for a duration without an upper limit, in milliseconds. */
export function durationOption(flags: string, description: string, fallback: string): Option {
  return optionOf(flags, description, fallback, false);
}

function optionOf(flags: string, description: string, fallback: string, isWait: boolean): Option {
  const read = (text: string): number => milliseconds(text, isWait);
  return new Option(flags, description).argParser(read).default(read(fallback), fallback);
}

/** A time as the collection API reads it. It stays a text. */
export function moment(text: string): string {
  if (Number.isFinite(readStamp(text)?.instant)) return text;
  throw new InvalidArgumentError('It must be a time like 2026-11-27T09:30:00Z.');
}

/** Reads `20%` as 0.2. */
export function share(text: string): number {
  const value = /^(\d{1,3}(\.\d+)?)%$/.exec(text)?.[1];
  if (value !== undefined && Number(value) <= 100) return Number(value) / 100;
  throw new InvalidArgumentError('It must be a share like 20%, from 0% to 100%.');
}

/** Collects an option that may be given several times. */
export function several(text: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), text];
}
