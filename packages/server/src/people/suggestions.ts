import { isObject, type JsonObject } from '../core/json.ts';
import { propertyReader } from '../core/property-path.ts';
import { LIMITS } from './check-definition.ts';
import type { ProfileReader } from './contract.ts';
import type { PersonEvent } from './person.ts';
import type { SeenTrait } from './seen.ts';

const DAY = 86_400_000;

/** Events of a name are counted this far back, and up to this number. */
const COUNTED = { length: 7 * DAY, most: 10_000 };
/** Most rows and characters that an answer reads, newest first. */
const EVENTS = { rows: 1_000, characters: 4_000_000 };
const TRAITS = { rows: 10_000, characters: 4_000_000 };
/** Most names, or values, of an answer. */
const SUGGESTED = 200;
/**
 * Beyond this many different names or values, the half that was met least often is dropped: invented ones must neither fill the
 * memory nor hide the others. A dropped one that is met again starts from 0, so its count may be too low.
 */
const DIFFERENT = 10_000;
/** Nested objects whose properties are suggested, levels. */
const DEPTH = 5;
/** Longest text that is suggested as a value, characters. */
const LONGEST_VALUE = 200;

/** What a definition may name, or compare with. */
export type Suggestible =
  | { readonly of: 'event'; readonly type: PersonEvent['type']; readonly text: string }
  /** `event`: null for any name. `name`: the property whose values are asked for; null asks for the names of properties. */
  | {
      readonly of: 'property';
      readonly type: PersonEvent['type'];
      readonly event: string | null;
      readonly name: string | null;
    }
  | { readonly of: 'trait' | 'groupTrait'; readonly name: string | null };

export interface Suggestions {
  /** Most frequent first. */
  readonly items: readonly { readonly value: string | number | boolean; readonly count: number }[];
  readonly counted: 'events' | 'persons' | 'groups';
  /** How many of the newest were read; null where all of the last 7 days were, up to 10,000 of each item. */
  readonly of: number | null;
}

type Reader = Pick<ProfileReader, 'eventNames' | 'newestProperties' | 'newestTraits'>;

/** What calls contained lately, counted from what the newest of them left; nothing is stored for it. */
export async function suggest(reader: Reader, asked: Suggestible, now: number): Promise<Suggestions> {
  if (asked.of === 'event') {
    const { type, text } = asked;
    const query = { type, text, now, since: now - COUNTED.length, limit: SUGGESTED, most: COUNTED.most };
    const names = await reader.eventNames(query);
    return { items: ranked(names.map(({ name, events }) => [name, events])), counted: 'events', of: null };
  }
  const { name } = asked;
  const tally = new Tally();
  if (asked.of === 'property') {
    const all = await reader.newestProperties({ type: asked.type, name: asked.event }, now, EVENTS);
    for (const json of all) {
      const properties = JSON.parse(json) as JsonObject;
      if (name === null) for (const path of pathsIn(properties, '', DEPTH)) tally.add(path);
      else tally.add(propertyReader(name)(properties));
    }
    return { items: tally.items(), counted: 'events', of: all.length };
  }
  const kind = asked.of === 'trait' ? 'person' : 'group';
  const owned = wholeOwners(await reader.newestTraits(kind, TRAITS));
  for (const traits of owned) {
    for (const trait of traits) {
      // A value of null removes the trait.
      if (name === null && trait.value !== 'null') tally.add(trait.name);
      else if (trait.name === name && trait.value.length <= LONGEST_VALUE + 2) tally.add(JSON.parse(trait.value));
    }
  }
  return { items: tally.items(), counted: `${kind}s`, of: owned.length };
}

/** The traits of each person or group, without the last owner where the read ended in the middle of it. */
function wholeOwners(read: readonly SeenTrait[]): readonly (readonly SeenTrait[])[] {
  const owned = [...Map.groupBy(read, ({ owner }) => owner).values()];
  const characters = read.reduce((sum, { value }) => sum + value.length, 0);
  const isCut = read.length >= TRAITS.rows || characters >= TRAITS.characters;
  return isCut && owned.length > 1 ? owned.slice(0, -1) : owned;
}

/** Paths to the values in an event's properties, as definitions name them: `products`, `address.city`. */
function pathsIn(properties: JsonObject, before: string, depth: number): Set<string> {
  const paths = new Set<string>();
  for (const [key, value] of Object.entries(properties)) {
    if (value === null) continue;
    const path = before + key;
    if (isObject(value) && depth > 1) for (const deeper of pathsIn(value, `${path}.`, depth - 1)) paths.add(deeper);
    else if (path.length <= LIMITS.name) paths.add(path);
  }
  return paths;
}

type Value = string | number | boolean;

/** Counts names or values; those that can't be suggested are left out. */
class Tally {
  #counts = new Map<Value, number>();

  add(value: unknown): void {
    if (typeof value === 'string' ? value === '' || value.length > LONGEST_VALUE : typeof value === 'object') return;
    if (value === undefined) return;
    this.#counts.set(value as Value, (this.#counts.get(value as Value) ?? 0) + 1);
    if (this.#counts.size < DIFFERENT) return;
    const often = [...this.#counts].toSorted(([, one], [, other]) => other - one);
    this.#counts = new Map(often.slice(0, DIFFERENT / 2));
  }

  items(): Suggestions['items'] {
    return ranked([...this.#counts]);
  }
}

function ranked(counts: readonly (readonly [Value, number])[]): Suggestions['items'] {
  return counts
    .toSorted(([one, often], [other, oftener]) => oftener - often || (String(one) < String(other) ? -1 : 1))
    .slice(0, SUGGESTED)
    .map(([value, count]) => ({ value, count }));
}
