import type { Decision, Due, Message, PersonRecord, ProfileWriter } from './contract.ts';
import type { Person } from './person.ts';
import { needsOf, type Rule, type Rules } from './rules.ts';

/** Rules to decide of a person anew. */
export type Chosen = ReadonlyMap<number, ReadonlySet<Rule> | 'all'>;

/** Decides at one moment, and keeps what comes of it: values, times, messages. */
export class Decider {
  readonly #writer: ProfileWriter;
  readonly #rules: Rules;
  readonly #now: number;
  readonly #decisions: Decision[] = [];
  readonly #messages: Omit<Message, 'id'>[] = [];

  constructor(writer: ProfileWriter, rules: Rules, now: number) {
    this.#writer = writer;
    this.#rules = rules;
    this.#now = now;
  }

  /**
   * Decides of persons by the rules chosen for each; also by those that depend on what changes thereby, that are due, or
   * that are being computed: so what is told of a person is right at any moment, whatever is left to do.
   */
  async decide(chosen: Chosen): Promise<void> {
    const records = await this.#writer.load([...chosen.keys()], this.#rules.needs, this.#now);
    for (const record of records) this.#decideOf(record, chosen.get(record.id) ?? 'all');
    await this.#keep();
  }

  /** Decides of the next persons by one rule. Answers the last one's number; null after the last person. */
  async compute(rule: Rule, after: number, limit: number): Promise<number | null> {
    const { id } = rule.definition;
    const needs = { ...needsOf([rule]), decided: this.#rules.askedBy(rule) };
    const records = await this.#writer.page(after, limit, needs, this.#now);
    const dependents = this.#rules.onAudience(id);
    const dues: Due[] = [];
    for (const record of records) {
      // Whether they are in another audience is stale where that is due: then it is all decided together.
      if (rule.mentions.audiences.size > 0 && [...record.due.keys()].some((other) => this.#isDue(record, other))) {
        dues.push({ definitionId: id, person: record.id, at: this.#now });
        continue;
      }
      const before = valueBefore(rule, record);
      const value = this.#apply(rule, record, record.person, before);
      this.#tellWhereNew(rule, record, value);
      if (value === before) continue;
      for (const { definition } of dependents) {
        dues.push({ definitionId: definition.id, person: record.id, at: this.#now });
      }
    }
    await this.#keep();
    await this.#writer.makeDue(dues);
    return records.length < limit ? null : (records.at(-1)?.id ?? null);
  }

  /** Has the next members told again. Answers the last one's number; null after the last. */
  async sync({ definition }: Rule, after: number, limit: number): Promise<number | null> {
    const members = await this.#writer.members(definition.id, after, limit);
    for (const { userId, value } of members) {
      if (userId !== null) this.#messages.push({ definitionId: definition.id, userId, value, at: this.#now });
    }
    await this.#keep();
    return members.length < limit ? null : (members.at(-1)?.person ?? null);
  }

  #decideOf(record: PersonRecord, chosen: ReadonlySet<Rule> | 'all'): void {
    const audiences = new Set(record.person.audiences);
    const person: Person = { ...record.person, audiences };
    const changed = new Set<string>();
    for (const rule of this.#rules.order) {
      const { id } = rule.definition;
      const before = valueBefore(rule, record);
      let value = before;
      if (
        chosen === 'all' ||
        chosen.has(rule) ||
        rule.computing ||
        this.#isDue(record, id) ||
        !rule.mentions.audiences.isDisjointFrom(changed)
      ) {
        value = this.#apply(rule, record, person, before);
        if (value !== before) changed.add(id);
        if (value === null) audiences.delete(id);
        else if ('audience' in rule.definition.what) audiences.add(id);
      }
      this.#tellWhereNew(rule, record, value);
    }
  }

  #isDue({ due }: PersonRecord, id: string): boolean {
    return (due.get(id) ?? Number.POSITIVE_INFINITY) <= this.#now;
  }

  #apply(rule: Rule, record: PersonRecord, person: Person, before: string | null): string | null {
    const { id } = rule.definition;
    const { value, changesAt } = rule.decide(person, this.#now);
    if (value !== before || changesAt !== (record.due.get(id) ?? null)) {
      this.#decisions.push({ definitionId: id, person: record.id, value, before, dueAt: changesAt });
    }
    return value;
  }

  /** Nobody is told twice in a row the same, and who was never told anything is not told of nothing. */
  #tellWhereNew(rule: Rule, { userId, told }: PersonRecord, value: string | null): void {
    if (userId === null) return;
    const { id } = rule.definition;
    const wanted = rule.wanted(value, told.get(id));
    if (wanted === undefined || wanted === told.get(id)) return;
    this.#messages.push({ definitionId: id, userId, value: wanted, at: this.#now });
  }

  async #keep(): Promise<void> {
    if (this.#decisions.length > 0) await this.#writer.decide(this.#decisions);
    if (this.#messages.length > 0) await this.#writer.tell(this.#messages);
  }
}

function valueBefore({ definition }: Rule, { person, values }: PersonRecord): string | null {
  const { id, what } = definition;
  if ('audience' in what) return person.audiences.has(id) ? 'true' : null;
  return values.get(id) ?? null;
}
