import { BoundedMap } from '../core/bounded-map.ts';
import { compileTrait } from './compute.ts';
import type { Definition, NeededEvents, Needs } from './contract.ts';
import { evaluationOrder } from './cycles.ts';
import { compile } from './evaluate.ts';
import { type Mentions, mentions } from './mentions.ts';
import { kindKey, type Person, type PersonEvent } from './person.ts';

/** A definition, compiled. */
export interface Rule {
  readonly definition: Definition;
  readonly mentions: Mentions;
  /** Whether its first computation is under way: stored decisions under it can't be relied on. */
  readonly computing: boolean;
  /** Answers the value as JSON (null for no member or no value) and when to decide again. */
  decide(person: Person, now: number): { readonly value: string | null; readonly changesAt: number | null };
  /** The value to send for a user id, where `told` was sent last; undefined for none. */
  wanted(value: string | null, told: string | undefined): string | undefined;
}

export function compileRule(definition: Definition): Rule {
  const { what, job } = definition;
  const rule = (none: string, asked: Parameters<typeof mentions>[0], decide: Rule['decide']): Rule => ({
    definition,
    computing: job?.kind === 'compute',
    mentions: mentions(asked),
    decide,
    wanted: (value, told) => value ?? (told === undefined ? undefined : none),
  });
  if ('audience' in what) {
    const holds = compile(what.audience);
    return rule('false', what.audience, (person, now) => {
      const { value, changesAt } = holds(person, now);
      return { value: value ? 'true' : null, changesAt };
    });
  }
  const compute = compileTrait(what.trait);
  return rule('null', what.trait, (person, now) => {
    const { value, changesAt } = compute(person, now);
    return { value: value === undefined ? null : JSON.stringify(value), changesAt };
  });
}

/** Rules that are decided together, in their order, and what they need to know. */
export interface Plan {
  readonly order: readonly Rule[];
  readonly needs: Needs;
}

/** Most plans that are kept. */
const PLANS = 1_000;

/** All rules, each audience after those it depends on; and which rules a fact can change. */
export class Rules implements Plan {
  readonly order: readonly Rule[];
  readonly needs: Needs;
  readonly computing: ReadonlySet<Rule>;
  readonly #byId = new Map<string, Rule>();
  readonly #byTrait = new Map<string, Rule[]>();
  readonly #byGroupTrait = new Map<string, Rule[]>();
  readonly #byEvent = new Map<string, Rule[]>();
  readonly #byAudience = new Map<string, Rule[]>();
  readonly #places: ReadonlyMap<Rule, number>;
  /** By the places of the requested rules. */
  readonly #plans = new BoundedMap<string, Plan>(PLANS);

  constructor(definitions: readonly Definition[]) {
    const rules = definitions.filter(({ job }) => job?.kind !== 'forget').map(compileRule);
    for (const rule of rules) this.#byId.set(rule.definition.id, rule);
    this.order = inOrder(rules);
    this.computing = new Set(this.order.filter(({ computing }) => computing));
    for (const rule of this.order) {
      const { traits, groupTraits, events, audiences } = rule.mentions;
      for (const name of traits) addTo(this.#byTrait, name, rule);
      for (const name of groupTraits) addTo(this.#byGroupTrait, name, rule);
      for (const kind of events) addTo(this.#byEvent, kindKey(kind), rule);
      for (const id of audiences) addTo(this.#byAudience, id, rule);
    }
    this.needs = needsOf(this.order);
    this.#places = new Map(this.order.map((rule, place) => [rule, place]));
  }

  /** A plan of these rules and of all rules that depend on their decisions. */
  planOf(rules: Iterable<Rule>): Plan {
    const key = Array.from(rules, (rule) => this.#places.get(rule) ?? -1)
      .sort((a, b) => a - b)
      .join();
    let plan = this.#plans.get(key);
    if (!plan) {
      const all = new Set(rules);
      // The set grows during the loop.
      for (const { definition } of all) for (const rule of this.onAudience(definition.id)) all.add(rule);
      const order = this.order.filter((rule) => all.has(rule));
      plan = { order, needs: needsOf(order) };
      this.#plans.set(key, plan);
    }
    return plan;
  }

  get(id: string): Rule | undefined {
    return this.#byId.get(id);
  }

  onTrait(name: string): readonly Rule[] {
    return this.#byTrait.get(name) ?? [];
  }

  onGroupTrait(name: string): readonly Rule[] {
    return this.#byGroupTrait.get(name) ?? [];
  }

  /** Rules that can change when a person joins a group. */
  onGroup(): readonly Rule[] {
    return [...this.#byGroupTrait.values()].flat();
  }

  onEvent(type: PersonEvent['type'], name: string | null): readonly Rule[] {
    const any = this.#byEvent.get(kindKey({ type, name: null })) ?? [];
    const named = name === null ? [] : (this.#byEvent.get(kindKey({ type, name })) ?? []);
    return named.length === 0 ? any : [...any, ...named];
  }

  /** Ids of a rule and of all audiences that it asks about, directly or through others. */
  askedBy(rule: Rule): ReadonlySet<string> {
    const asked = new Set([rule.definition.id]);
    // The set grows during the loop.
    for (const id of asked) for (const other of this.get(id)?.mentions.audiences ?? []) asked.add(other);
    return asked;
  }

  /** Rules that depend on an audience directly. */
  onAudience(id: string): readonly Rule[] {
    return this.#byAudience.get(id) ?? [];
  }
}

/** Traits ask about no definition; an audience comes after those it asks about. */
function inOrder(rules: readonly Rule[]): Rule[] {
  const audiences = new Map(
    rules.flatMap(({ definition: { id, what } }) => ('audience' in what ? [[id, what.audience] as const] : [])),
  );
  const found = evaluationOrder(audiences);
  if ('circle' in found) throw new Error(`Audiences ask about each other in a circle: ${found.circle.join(' → ')}.`);
  const place = new Map(found.order.map((id, i) => [id, i]));
  const placeOf = ({ definition }: Rule): number => place.get(definition.id) ?? -1;
  return rules.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/** What all these rules together need to know of a person. */
export function needsOf(rules: readonly Rule[]): Needs {
  const events = new Map<string, NeededEvents>();
  for (const { mentions } of rules) {
    for (const { type, name } of mentions.events) {
      const key = kindKey({ type, name });
      const lookBack = Math.max(events.get(key)?.lookBack ?? 0, mentions.lookBack);
      events.set(key, { type, name, lookBack });
    }
  }
  return {
    traits: new Set(rules.flatMap(({ mentions }) => [...mentions.traits])),
    groupTraits: new Set(rules.flatMap(({ mentions }) => [...mentions.groupTraits])),
    events: [...events.values()],
  };
}

function addTo(map: Map<string, Rule[]>, key: string, rule: Rule): void {
  const rules = map.get(key);
  if (rules) rules.push(rule);
  else map.set(key, [rule]);
}
