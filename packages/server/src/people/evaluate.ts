import type { Condition, EventCondition, GroupTraitCondition, TraitCondition } from './definition.ts';
import type { Person } from './person.ts';
import { compileSelection } from './selection.ts';
import { earlier, holds, nextEdge, type Span } from './span.ts';
import { compileTest, deniedTest } from './value-span.ts';

export interface Verdict {
  readonly value: boolean;
  /**
   * Until then the passing of time alone changes nothing; null for never. Decided anew at that very millisecond, the
   * value is right again. Of events and of a trait it is when the value turns; of several parts it may be earlier.
   */
  readonly changesAt: number | null;
}

/** `now` is milliseconds since the epoch. */
export type Predicate = (person: Person, now: number) => Verdict;

/**
 * Compiles a definition that was checked. When time changes whether someone is in another audience is left to that
 * audience, after which this one is decided again.
 */
export function compile(condition: Condition): Predicate {
  if ('all' in condition) return compileMany(condition.all.map(compile), false);
  if ('any' in condition) return compileMany(condition.any.map(compile), true);
  if ('not' in condition) return negated(compile(condition.not));
  if ('trait' in condition) return compileTrait(condition);
  if ('groupTrait' in condition) return compileGroupTrait(condition);
  if ('event' in condition) return compileEvent(condition);
  return ({ audiences }) => ({ value: audiences.has(condition.audience), changesAt: null });
}

/** `any` for a `decisive` of true, `all` for false. */
function compileMany(parts: readonly Predicate[], decisive: boolean): Predicate {
  return (person, now) => decide(parts, (part) => part(person, now), decisive);
}

/**
 * One part of the decisive value decides, and as long as one of them stands the whole does: the last of them to change
 * is the first moment that counts. Where there is none, it is the first part to change.
 */
export function decide<T>(parts: Iterable<T>, verdictOf: (part: T) => Verdict, decisive: boolean): Verdict {
  let first: number | null = null;
  let last: number | null = null;
  for (const part of parts) {
    const { value, changesAt } = verdictOf(part);
    if (value !== decisive) first = earlier(first, changesAt);
    else if (changesAt === null) return { value: decisive, changesAt: null };
    else if (last === null || changesAt > last) last = changesAt;
  }
  return last === null ? { value: !decisive, changesAt: first } : { value: decisive, changesAt: last };
}

function negated(part: Predicate): Predicate {
  return (person, now) => {
    const { value, changesAt } = part(person, now);
    return { value: !value, changesAt };
  };
}

function spanVerdict(span: Span | null, now: number): Verdict {
  return { value: holds(span, now), changesAt: nextEdge(span, now) };
}

function compileTrait({ trait, is }: TraitCondition): Predicate {
  const test = compileTest(is);
  return ({ traits }, now) => spanVerdict(test(traits.get(trait)?.value), now);
}

function compileGroupTrait({ groupTrait, is }: GroupTraitCondition): Predicate {
  const denied = deniedTest(is);
  if (denied) return negated(compileGroupTrait({ groupTrait, is: denied }));
  const test = compileTest(is);
  return ({ groups }, now) => decide(groups.values(), (traits) => spanVerdict(test(traits.get(groupTrait)), now), true);
}

function compileEvent({ event, count, during }: EventCondition): Predicate {
  const selected = compileSelection(event, during);
  const isMet = compileCount(count);
  return (person, now) => {
    let times = 0;
    const steps: Step[] = [];
    selected(person, now, (_event, { from, until }) => {
      if (from <= now) times += 1;
      else steps.push({ at: from, by: 1 });
      if (until !== Number.POSITIVE_INFINITY) steps.push({ at: until, by: -1 });
    });
    return { value: isMet(times), changesAt: firstFlip(times, steps, isMet) };
  };
}

function compileCount(count: EventCondition['count'] = { atLeast: 1 }): (times: number) => boolean {
  if ('atLeast' in count) return (times) => times >= count.atLeast;
  if ('exactly' in count) return (times) => times === count.exactly;
  return (times) => times <= count.atMost;
}

/** At `at` one more event counts, or one less. */
interface Step {
  readonly at: number;
  readonly by: 1 | -1;
}

function firstFlip(times: number, steps: Step[], isMet: (times: number) => boolean): number | null {
  const value = isMet(times);
  steps.sort((one, other) => one.at - other.at);
  let now = times;
  for (const [i, { at, by }] of steps.entries()) {
    now += by;
    // Steps of one moment are taken together: what comes as another goes changes nothing.
    if (steps[i + 1]?.at !== at && isMet(now) !== value) return at;
  }
  return null;
}
