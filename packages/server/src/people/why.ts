import type { Condition, EventCondition, GroupTraitCondition, TraitCondition } from './definition.ts';
import { compile, decide, type Verdict } from './evaluate.ts';
import type { Person } from './person.ts';
import { compileSelection } from './selection.ts';
import { holds } from './span.ts';

/**
 * Why a condition holds for a person or does not: a tree of the condition's form, each node with its value and its grounds. The
 * reader has the definition, so the answer does not repeat it.
 */
export type Reason = Verdict & Grounds;

type Grounds =
  | { readonly all: readonly Reason[] }
  | { readonly any: readonly Reason[] }
  | { readonly not: Reason }
  /** The person's value and its time; null where there is none. */
  | { readonly trait: string; readonly found: { readonly value: unknown; readonly at: number } | null }
  /** The person's groups that have the trait. */
  | { readonly groupTrait: string; readonly found: readonly { readonly groupId: string; readonly value: unknown }[] }
  /** How many events count, and the newest of them, newest first. */
  | { readonly events: number; readonly newest: readonly { readonly messageId: string; readonly at: number }[] }
  | { readonly audience: string };

/** Most events that a reason names. */
export const MAX_NAMED_EVENTS = 10;

/**
 * `now` is milliseconds since the epoch; the condition was checked.
 *
 * @param changes when time changes the audiences that it asks about, by their ids.
 */
export function explain(
  condition: Condition,
  person: Person,
  now: number,
  changes: ReadonlyMap<string, number | null>,
): Reason {
  const explained = (part: Condition): Reason => explain(part, person, now, changes);
  if ('all' in condition) {
    const all = condition.all.map(explained);
    return { ...decide(all, verdictOf, false), all };
  }
  if ('any' in condition) {
    const any = condition.any.map(explained);
    return { ...decide(any, verdictOf, true), any };
  }
  if ('not' in condition) {
    const not = explained(condition.not);
    return { value: !not.value, changesAt: not.changesAt, not };
  }
  if ('audience' in condition) {
    const { audience } = condition;
    return { value: person.audiences.has(audience), changesAt: changes.get(audience) ?? null, audience };
  }
  return { ...compile(condition)(person, now), ...groundsOf(condition, person, now) };
}

const verdictOf = (reason: Reason): Verdict => reason;

function groundsOf(
  condition: TraitCondition | GroupTraitCondition | EventCondition,
  person: Person,
  now: number,
): Grounds {
  if ('trait' in condition) return { trait: condition.trait, found: person.traits.get(condition.trait) ?? null };
  return 'groupTrait' in condition ? ofGroups(condition, person) : ofEvents(condition, person, now);
}

function ofGroups({ groupTrait }: GroupTraitCondition, { groups }: Person): Grounds {
  const found = [...groups].filter(([, traits]) => traits.has(groupTrait));
  return { groupTrait, found: found.map(([groupId, traits]) => ({ groupId, value: traits.get(groupTrait) })) };
}

function ofEvents({ event, during }: EventCondition, person: Person, now: number): Grounds {
  const newest: { messageId: string; at: number }[] = [];
  let events = 0;
  compileSelection(event, during)(person, now, ({ messageId, at }, span) => {
    if (!holds(span, now)) return;
    events += 1;
    if (newest.length < MAX_NAMED_EVENTS) newest.push({ messageId, at });
  });
  return { events, newest };
}
