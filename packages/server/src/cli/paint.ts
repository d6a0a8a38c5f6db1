import { styleText } from 'node:util';
import type { Counts } from '../admin/contract.ts';
import type { Screen } from './io.ts';

export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  strong(text: string): string;
  faint(text: string): string;
}

/** Colours for a stream. None if it is not a terminal, or if NO_COLOR is set. */
export function paintFor(stream: Screen): Paint {
  const style = (format: 'green' | 'red' | 'yellow' | 'bold' | 'dim') => (text: string) =>
    styleText(format, text, { stream });
  return { good: style('green'), bad: style('red'), warn: style('yellow'), strong: style('bold'), faint: style('dim') };
}

/** Text from outside, safe to print on a terminal: without control characters, which could move the cursor or change colours. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/** `1 message`, `2 messages`, `1,234 messages`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** The results of all events: `10 accepted = 7 processed + …`. */
export function countsText({ accepted, processed, failed, filtered, waiting }: Counts): string {
  const [all, done, lost, kept, left] = [accepted, processed, failed, filtered, waiting].map(grouped);
  return `${all} accepted = ${done} processed + ${lost} failed + ${kept} filtered + ${left} waiting`;
}

/** 12345 → `12,345`, independent of the machine's language. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
