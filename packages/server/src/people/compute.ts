import { propertyReader } from '../core/property-path.ts';
import type { TraitDefinition } from './definition.ts';
import type { Person, PersonEvent } from './person.ts';
import { compileSelection } from './selection.ts';
import { earlier, holds, nextEdge } from './span.ts';

export interface Computed {
  /** JSON; undefined for no value. */
  readonly value: unknown;
  /** Until this time the value can't change by the passing of time; null for never. It may be the same afterwards. */
  readonly changesAt: number | null;
}

/** `now` is milliseconds since the epoch. */
export type Computation = (person: Person, now: number) => Computed;

/** The longest value a trait can have, in bytes of JSON: an identify call carries it, and calls are limited to 32 KB. */
export const MAX_VALUE_BYTES = 16_384;

export const MAX_LISTED = 100;

/** Compiles a checked definition. definition.ts says what each kind computes, and of which values. */
export function compileTrait({ compute, event, during }: TraitDefinition): Computation {
  const selected = compileSelection(event, during);
  const { pick, reduce } = compileKind(compute);
  return (person, now) => {
    const values: unknown[] = [];
    let changesAt: number | null = null;
    selected(person, now, (event, span) => {
      const value = pick(event);
      if (value === undefined) return;
      if (holds(span, now)) values.push(value);
      changesAt = earlier(changesAt, nextEdge(span, now));
    });
    if (values.length === 0) return { value: undefined, changesAt };
    const value = reduce(values.reverse());
    return { value: fits(value) ? value : undefined, changesAt };
  };
}

interface Kind {
  /** The value of an event that counts; undefined for none. */
  readonly pick: (event: PersonEvent) => unknown;
  /** Computes from at least one value, oldest first. */
  readonly reduce: (values: unknown[]) => unknown;
}

function compileKind(compute: TraitDefinition['compute']): Kind {
  if ('count' in compute) return { pick: () => true, reduce: (values) => values.length };
  if ('sum' in compute) return ofProperty(compute.sum, asNumber, sum);
  if ('average' in compute)
    return ofProperty(compute.average, asNumber, (values) => rounded(sum(values) / values.length));
  if ('min' in compute) return ofProperty(compute.min, asNumber, (values) => values.reduce((a, b) => Math.min(a, b)));
  if ('max' in compute) return ofProperty(compute.max, asNumber, (values) => values.reduce((a, b) => Math.max(a, b)));
  if ('mostFrequent' in compute) return ofProperty(compute.mostFrequent, asWord, mostFrequent);
  if ('first' in compute) return ofProperty(compute.first, anything, (values) => values[0]);
  if ('last' in compute) return ofProperty(compute.last, anything, (values) => values.at(-1));
  if ('uniqueList' in compute) return ofProperty(compute.uniqueList, asWord, uniqueList);
  if ('uniqueCount' in compute) return ofProperty(compute.uniqueCount, asWord, (values) => new Set(values).size);
  return compute satisfies never;
}

/** Of a property: `used` answers what of its value counts. */
function ofProperty<T>(
  property: string,
  used: (value: unknown) => T | undefined,
  reduce: (values: T[]) => unknown,
): Kind {
  const read = propertyReader(property);
  return { pick: ({ properties }) => used(read(properties)), reduce: (values) => reduce(values as T[]) };
}

type Word = string | number | boolean;

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const asWord = (value: unknown): Word | undefined => (typeof value === 'object' ? undefined : (value as Word));
const anything = (value: unknown): unknown => value ?? undefined;

/** Neumaier's: what each addition rounds away is added at the end, so that a thousand prices sum to whole cents. */
function sum(values: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return rounded(total + lost);
}

/** Fractions have 15 digits, as in a spreadsheet: 0.1 + 0.2 is 0.3. */
function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(15));
}

function mostFrequent(values: readonly Word[]): Word | undefined {
  const counts = new Map<Word, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: Word | undefined;
  let most = 1;
  for (const [value, count] of counts) {
    if (count > most || (count === most && best !== undefined && isBefore(value, best))) {
      best = value;
      most = count;
    }
  }
  return best;
}

/** By text, by the codes of its characters; of `1` and `"1"` the number comes first. */
function isBefore(one: Word, other: Word): boolean {
  const [a, b] = [String(one), String(other)];
  return a === b ? typeof one !== 'string' : a < b;
}

/** Ends before it would be too long, so that listed values stay listed. */
function uniqueList(values: readonly Word[]): readonly Word[] | undefined {
  const listed: Word[] = [];
  let bytes = 1;
  for (const value of new Set(values)) {
    bytes += bytesOf(value) + 1;
    if (listed.length === MAX_LISTED || bytes > MAX_VALUE_BYTES) break;
    listed.push(value);
  }
  return listed.length === 0 ? undefined : listed;
}

/** A sum can be too large for a number, and JSON has no word for that. */
function fits(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return value === undefined || bytesOf(value) <= MAX_VALUE_BYTES;
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
