import type { Decision, Due, Message, Needs, PersonFacts, PersonName, PersonState, ProfileWriter } from './contract.ts';
import type { Person } from './person.ts';
import { NO_FACTS, NOTHING_DECIDED } from './records.ts';
import { needsOf, type Plan, type Rule, type Rules } from './rules.ts';

/** The rules to decide again, by person. */
export type Chosen = ReadonlyMap<number, ChosenRules>;
type ChosenRules = ReadonlySet<Rule> | 'all';

/** What should have been sent for a person under a rule, if the person has a user id. */
interface Saying {
  readonly rule: Rule;
  readonly person: number;
  readonly value: string | null;
}

type FactsOf = (person: number) => Promise<PersonFacts>;

/** A person about whom rules are decided. */
interface Case {
  readonly person: number;
  readonly state: PersonState;
  readonly chosen: ChosenRules;
}

/** Persons whose facts are in memory at a time: each may have `EVENTS_OF_A_PERSON`, and strangers can fill them. */
const AT_ONCE = 32;
/** A person in this many groups is read alone, where traits of groups are needed. */
const MANY_GROUPS = 64;
/** Fewer persons than this are not read by statements of their own. */
const FEW = 8;

/** Decides at one moment, and stores the results: values, due times, messages. */
export class Decider {
  readonly #writer: ProfileWriter;
  readonly #rules: Rules;
  readonly #now: number;
  #decisions: Decision[] = [];
  #sayings: Saying[] = [];

  constructor(writer: ProfileWriter, rules: Rules, now: number) {
    this.#writer = writer;
    this.#rules = rules;
    this.#now = now;
  }

  /**
   * Decides the chosen rules for each person. It also decides rules that depend on what changes, that are due, or that are being
   * computed. So what is sent for a person is right at any moment, even while work is left.
   */
  async decide(chosen: Chosen): Promise<void> {
    const persons = [...chosen.keys()];
    for (let i = 0; i < persons.length; i += AT_ONCE) {
      const some = persons.slice(i, i + AT_ONCE);
      const states = await this.#writer.states(some, 'all');
      const cases = some.map((person) => {
        return { person, state: states.get(person) ?? NOTHING_DECIDED, chosen: chosen.get(person) ?? 'all' };
      });
      for (const [plan, alike] of this.#byPlan(cases)) {
        const factsOf = await this.#read(personsOf(alike), plan.needs);
        for (const one of alike) this.#decideOf(one, await factsOf(one.person), plan.order);
      }
      const names = await this.#writer.names(personsOf(this.#sayings));
      await this.#keep(names);
    }
  }

  /** Decides one rule for the next persons. Answers the last one's number; null after the last person. */
  async compute(rule: Rule, after: number, limit: number): Promise<number | null> {
    const { id } = rule.definition;
    const names = await this.#writer.namesAfter(after, limit);
    const last = names.at(-1)?.person ?? after;
    const range = { after, upTo: last };
    const states = await this.#writer.states(range, this.#rules.askedBy(rule));
    const dependents = this.#rules.onAudience(id);
    const dues: Due[] = [];
    const needs = needsOf([rule]);
    let factsOf: FactsOf = async () => NO_FACTS;
    for (const [i, { person }] of names.entries()) {
      if (i % AT_ONCE === 0) factsOf = await this.#read(personsOf(names.slice(i, i + AT_ONCE)), needs);
      const state = states.get(person) ?? NOTHING_DECIDED;
      // While the other audience is due, its stored answer is old: then both are decided together.
      if (rule.mentions.audiences.size > 0 && [...state.due.keys()].some((other) => this.#isDue(state, other))) {
        dues.push({ definitionId: id, person, at: this.#now });
        continue;
      }
      const before = valueBefore(rule, state);
      const who = { ...(await factsOf(person)), audiences: state.audiences };
      const value = this.#apply(rule, person, who, state, before);
      this.#sayings.push({ rule, person, value });
      if (value === before) continue;
      for (const { definition } of dependents) dues.push({ definitionId: definition.id, person, at: this.#now });
    }
    await this.#keep(names);
    await this.#writer.makeDue(dues);
    return names.length < limit ? null : last;
  }

  /**
   * Sends all members with numbers below `below` again, a page of them. Answers the last one's number; null after the last. The
   * highest come first: when two persons are united, the lower number stays, so a person could else be skipped.
   */
  async sync({ definition }: Rule, below: number, limit: number): Promise<number | null> {
    const members = await this.#writer.members(definition.id, below, limit);
    const messages = members.flatMap(({ userId, value }) =>
      userId === null ? [] : [{ definitionId: definition.id, userId, value, at: this.#now }],
    );
    if (messages.length > 0) await this.#writer.tell(messages);
    return members.length < limit ? null : (members.at(-1)?.person ?? null);
  }

  /** Reads persons. A person in many groups is read alone, because strangers can give groups long traits. */
  async #read(persons: readonly number[], needs: Needs): Promise<FactsOf> {
    const [writer, now] = [this.#writer, this.#now];
    const crowded = needs.groupTraits.size === 0 ? new Map() : await writer.held('groups', persons, MANY_GROUPS);
    const read = await writer.facts(
      persons.filter((person) => !crowded.has(person)),
      needs,
      now,
    );
    return async (person) => {
      const facts = crowded.has(person) ? await writer.facts([person], needs, now) : read;
      return facts.get(person) ?? NO_FACTS;
    };
  }

  /** Cases with the same rules, which are read together. */
  #byPlan(cases: readonly Case[]): ReadonlyMap<Plan, readonly Case[]> {
    const groups = Map.groupBy(cases, (one) => this.#planOf(one));
    for (const [plan, alike] of groups) {
      if (plan === this.#rules || alike.length >= FEW) continue;
      groups.delete(plan);
      groups.set(this.#rules, [...(groups.get(this.#rules) ?? []), ...alike]);
    }
    return groups;
  }

  #planOf({ chosen, state }: Case): Plan {
    if (chosen === 'all') return this.#rules;
    const rules = new Set([...chosen, ...this.#rules.computing]);
    for (const id of state.due.keys()) {
      const rule = this.#isDue(state, id) ? this.#rules.get(id) : undefined;
      if (rule) rules.add(rule);
    }
    return this.#rules.planOf(rules);
  }

  #decideOf({ person, state, chosen }: Case, facts: PersonFacts, order: readonly Rule[]): void {
    const audiences = new Set(state.audiences);
    const who: Person = { ...facts, audiences };
    const changed = new Set<string>();
    for (const rule of order) {
      const { id, what } = rule.definition;
      // What was sent last may be outdated: it was sent under another definition, or to another user id.
      const doubtful = chosen === 'all' || rule.computing || this.#isDue(state, id);
      if (!doubtful && !chosen.has(rule) && rule.mentions.audiences.isDisjointFrom(changed)) continue;
      const before = valueBefore(rule, state);
      const value = this.#apply(rule, person, who, state, before);
      if (value !== before) changed.add(id);
      if (value === null) audiences.delete(id);
      else if ('audience' in what) audiences.add(id);
      if (doubtful || value !== before) this.#sayings.push({ rule, person, value });
    }
  }

  #isDue({ due }: PersonState, id: string): boolean {
    return (due.get(id) ?? Number.POSITIVE_INFINITY) <= this.#now;
  }

  #apply(rule: Rule, person: number, who: Person, { due }: PersonState, before: string | null): string | null {
    const { id } = rule.definition;
    const { value, changesAt } = rule.decide(who, this.#now);
    if (value !== before || changesAt !== (due.get(id) ?? null)) {
      this.#decisions.push({ definitionId: id, person, value, before, dueAt: changesAt });
    }
    return value;
  }

  /** Stores the decisions, and puts messages for these names into the outbox. */
  async #keep(names: readonly PersonName[]): Promise<void> {
    if (this.#decisions.length > 0) await this.#writer.decide(this.#decisions, this.#now);
    const messages = await this.#messages(names);
    if (messages.length > 0) await this.#writer.tell(messages);
    this.#decisions = [];
    this.#sayings = [];
  }

  /** The same value is not sent twice in a row, and no empty value is sent where nothing was sent before. */
  async #messages(names: readonly PersonName[]): Promise<readonly Omit<Message, 'id'>[]> {
    const userIds = new Map(
      names.flatMap(({ person, userId }) => (userId === null ? [] : [[person, userId] as const])),
    );
    const rules = new Set(this.#sayings.map(({ rule }) => rule.definition.id));
    if (rules.size === 0) return [];
    const lastTold = await this.#writer.lastTold([...userIds.values()], rules);
    const messages: Omit<Message, 'id'>[] = [];
    for (const { rule, person, value } of this.#sayings) {
      const userId = userIds.get(person);
      if (userId === undefined) continue;
      const { id } = rule.definition;
      const told = lastTold.get(userId)?.get(id);
      const wanted = rule.wanted(value, told);
      if (wanted !== undefined && wanted !== told) {
        messages.push({ definitionId: id, userId, value: wanted, at: this.#now });
      }
    }
    return messages;
  }
}

function personsOf(list: readonly { readonly person: number }[]): number[] {
  return [...new Set(list.map(({ person }) => person))];
}

function valueBefore({ definition }: Rule, { audiences, values }: PersonState): string | null {
  const { id, what } = definition;
  if ('audience' in what) return audiences.has(id) ? 'true' : null;
  return values.get(id) ?? null;
}
