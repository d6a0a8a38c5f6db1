import type { JsonObject } from '../core/json.ts';
import type { PersonRecord } from './contract.ts';
import type { PersonEvent, TraitValue } from './person.ts';

/** Stand for what has no entry yet: most persons have little, and are read by the thousand. */
const NONE: ReadonlyMap<never, never> = new Map<never, never>();
const NOWHERE: ReadonlySet<never> = new Set();

/** A person while a store reads them: the rows of one table after the other. */
export class PersonDraft implements PersonRecord {
  readonly id: number;
  readonly userId: string | null;
  readonly person = {
    traits: NONE as ReadonlyMap<string, TraitValue>,
    groups: NONE as ReadonlyMap<string, ReadonlyMap<string, unknown>>,
    events: [] as PersonEvent[],
    audiences: NOWHERE as ReadonlySet<string>,
  };
  values: ReadonlyMap<string, string> = NONE;
  due: ReadonlyMap<string, number> = NONE;
  told: ReadonlyMap<string, string> = NONE;

  constructor(id: number, userId: string | null) {
    this.id = id;
    this.userId = userId;
  }

  addTrait(name: string, value: unknown, at: number): void {
    this.person.traits = added(this.person.traits, name, { value, at });
  }

  addGroup(id: string, traits: ReadonlyMap<string, unknown>): void {
    this.person.groups = added(this.person.groups, id, traits);
  }

  /** Oldest first. */
  addEvent(event: PersonEvent): void {
    this.person.events.push(event);
  }

  addAudience(id: string): void {
    const { audiences } = this.person;
    if (audiences === NOWHERE) this.person.audiences = new Set([id]);
    else (audiences as Set<string>).add(id);
  }

  addValue(definitionId: string, value: string): void {
    this.values = added(this.values, definitionId, value);
  }

  addDue(definitionId: string, at: number): void {
    this.due = added(this.due, definitionId, at);
  }

  addTold(definitionId: string, value: string): void {
    this.told = added(this.told, definitionId, value);
  }
}

function added<K, V>(map: ReadonlyMap<K, V>, key: K, value: V): ReadonlyMap<K, V> {
  return map === NONE ? new Map([[key, value]]) : (map as Map<K, V>).set(key, value);
}

/** Most conditions ask for no properties: their JSON is read where one does. */
export class StoredEvent implements PersonEvent {
  readonly at: number;
  readonly messageId: string;
  readonly #kind: Pick<PersonEvent, 'type' | 'name'>;
  readonly #json: string;
  #properties: JsonObject | undefined;

  constructor(at: number, kind: Pick<PersonEvent, 'type' | 'name'>, messageId: string, json: string) {
    this.at = at;
    this.messageId = messageId;
    this.#kind = kind;
    this.#json = json;
  }

  get type(): PersonEvent['type'] {
    return this.#kind.type;
  }

  get name(): string | null {
    return this.#kind.name;
  }

  get properties(): JsonObject {
    this.#properties ??= JSON.parse(this.#json) as JsonObject;
    return this.#properties;
  }
}
