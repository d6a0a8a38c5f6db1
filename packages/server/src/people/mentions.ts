import type { Definition, NeededEvents } from './contract.ts';
import type { Condition, EventSelection, Period, TraitDefinition } from './definition.ts';
import { kindKey } from './person.ts';
import { readPeriod } from './selection.ts';

/** What a definition depends on: no other fact about a person can change its value. */
export interface Mentions {
  readonly traits: ReadonlySet<string>;
  readonly groupTraits: ReadonlySet<string>;
  /** The look-back is Infinity for events that count for all time or in a fixed range. */
  readonly events: readonly NeededEvents[];
  /** Ids of audiences. */
  readonly audiences: ReadonlySet<string>;
  /** The longest look-back of all events; 0 where none is asked for. */
  readonly lookBack: number;
}

/** The audiences whose definitions ask about this one. */
export function askersOf(id: string, definitions: readonly Definition[]): readonly Definition[] {
  return definitions.filter(({ what }) => 'audience' in what && mentions(what.audience).audiences.has(id));
}

/** What an audience or a computed trait depends on, each thing once. */
export function mentions(definition: Condition | TraitDefinition): Mentions {
  const traits = new Set<string>();
  const groupTraits = new Set<string>();
  const audiences = new Set<string>();
  const events = new Map<string, NeededEvents>();
  const addEvents = (event: EventSelection, during: Period | undefined): void => {
    const { type = 'track', name = null } = event;
    const key = kindKey({ type, name });
    const lookBack = Math.max(events.get(key)?.lookBack ?? 0, readPeriod(during).length);
    events.set(key, { type, name, lookBack });
  };
  if ('compute' in definition) addEvents(definition.event, definition.during);
  else {
    for (const [, leaf] of leaves(definition, '')) {
      if ('trait' in leaf) traits.add(leaf.trait);
      else if ('groupTrait' in leaf) groupTraits.add(leaf.groupTrait);
      else if ('audience' in leaf) audiences.add(leaf.audience);
      else addEvents(leaf.event, leaf.during);
    }
  }
  const lookBack = Math.max(0, ...[...events.values()].map((event) => event.lookBack));
  return { traits, groupTraits, events: [...events.values()], audiences, lookBack };
}

type Leaf = Exclude<Condition, { readonly all: unknown } | { readonly any: unknown } | { readonly not: unknown }>;

/** The conditions within a condition that ask about a person, each with its path. */
export function leaves(condition: Condition, path: string): readonly (readonly [path: string, leaf: Leaf])[] {
  const among = (list: 'all' | 'any', parts: readonly Condition[]) =>
    parts.flatMap((part, i) => leaves(part, `${path}.${list}.${i}`));
  if ('all' in condition) return among('all', condition.all);
  if ('any' in condition) return among('any', condition.any);
  return 'not' in condition ? leaves(condition.not, `${path}.not`) : [[path, condition]];
}
