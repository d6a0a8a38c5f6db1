import type { JsonObject } from '../core/json.ts';
import type { PersonFacts, PersonState } from './contract.ts';
import type { Kind, PersonEvent, TraitValue } from './person.ts';

/** The facts of a person while a store reads the rows of one table after the other. */
export class FactsDraft implements PersonFacts {
  readonly traits: Map<string, TraitValue> = new Map();
  readonly groups: Map<string, ReadonlyMap<string, unknown>> = new Map();
  /** In the order of time and messageId, in which they are added. */
  readonly events: PersonEvent[] = [];
}

/** The decisions about a person while a store reads them. */
export class StateDraft implements PersonState {
  readonly audiences: Set<string> = new Set();
  readonly values: Map<string, string> = new Map();
  readonly due: Map<string, number> = new Map();

  /** A membership, or the value of a trait as JSON. */
  addValue({ id, audience }: { readonly id: string; readonly audience: boolean }, value: string): void {
    if (audience) this.audiences.add(id);
    else this.values.set(id, value);
  }
}

/** Longest JSON of properties whose parsed form is kept; of longer ones only the last is kept. */
const STAYS = 1_000;
let lastLong: { readonly event: StoredEvent; readonly properties: JsonObject } | null = null;

/**
 * Most conditions ask for no properties, so the JSON is parsed when a condition asks. Parsed, it may take twenty times the
 * memory, and a person may have millions of events.
 */
export class StoredEvent implements PersonEvent {
  readonly at: number;
  readonly messageId: string;
  readonly #kind: Kind;
  readonly #json: string;
  #properties: JsonObject | undefined;

  constructor(at: number, kind: Kind, messageId: string, json: string) {
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
    if (lastLong?.event === this) return lastLong.properties;
    const properties = this.#properties ?? (JSON.parse(this.#json) as JsonObject);
    if (this.#json.length <= STAYS) this.#properties = properties;
    else lastLong = { event: this, properties };
    return properties;
  }
}
