import type { JsonObject } from '../core/json.ts';
import type { PersonRecord } from './contract.ts';
import type { PersonEvent, TraitValue } from './person.ts';

/** A person while a store reads them: the rows of one table after the other. */
export class PersonDraft {
  readonly id: number;
  readonly userId: string | null;
  readonly traits: Map<string, TraitValue> = new Map();
  readonly groups: Map<string, ReadonlyMap<string, unknown>> = new Map();
  readonly events: PersonEvent[] = [];
  readonly audiences: Set<string> = new Set();
  readonly values: Map<string, string> = new Map();
  readonly due: Map<string, number> = new Map();
  readonly told: Map<string, string> = new Map();

  constructor(id: number, userId: string | null) {
    this.id = id;
    this.userId = userId;
  }

  record(): PersonRecord {
    const { id, userId, values, due, told, traits, groups, events, audiences } = this;
    return { id, userId, person: { traits, groups, events, audiences }, values, due, told };
  }
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
