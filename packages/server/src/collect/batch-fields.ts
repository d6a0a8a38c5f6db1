import { Fault } from '../core/fault.ts';
import type { JsonObject } from '../core/json.ts';
import { readStamp, type Stamp } from '../core/stamp.ts';
import { type Integrations, mergeIntegrations } from './integrations.ts';
import { LIMITS } from './limits.ts';

/**
 * The fields that a batch sets for all its calls (contract 8.6). A call's own context goes over the batch's, key by key. The same
 * holds for integrations, and in both `context.integrations` goes under the top-level object. So a call's own value always wins.
 *
 * A merge is charged before it is made, whether or not the call is taken in the end.
 */
export class BatchFields {
  readonly context: JsonObject | null;
  readonly #context: Layer;
  readonly #integrations: Layer;
  readonly #routed: Integrations | null;
  readonly #sentAt: Stamp | null;
  #merged = 0;
  #keys = 0;

  /**
   * `integrations`: the layers, later ones win.
   *
   * @throws Fault `too_large` when they have more names than any service has destinations.
   */
  constructor(context: JsonObject | null, integrations: readonly (JsonObject | null)[], sentAt: unknown) {
    const names = integrations.reduce((sum, layer) => sum + Object.keys(layer ?? {}).length, 0);
    if (names > LIMITS.batchIntegrations) {
      throw new Fault('too_large', `The batch has ${names} integrations; ${LIMITS.batchIntegrations} are allowed.`);
    }
    this.context = context;
    this.#sentAt = readStamp(sentAt);
    this.#context = new Layer(context);
    this.#routed = mergeIntegrations(integrations);
    this.#integrations = new Layer(this.#routed === null ? null : JSON.parse(this.#routed.delivered));
  }

  /** Characters merged so far. */
  get merged(): number {
    return this.#merged;
  }

  /**
   * JSON of the batch's context under a call's own.
   *
   * @throws Fault `too_large` when the batch merges more than it may.
   */
  contextUnder(own: JsonObject | null): string {
    const { value, text } = this.#context;
    const overlaps = this.#charge(this.#context, [own]);
    if (own === null) return text;
    if (value === null) return JSON.stringify(own);
    if (overlaps) return JSON.stringify({ ...value, ...own });
    return joined(text, JSON.stringify(own));
  }

  /**
   * The batch's integrations under a call's own layers, later ones win; null where there are none.
   *
   * @throws Fault `too_large` when the batch merges more than it may.
   */
  integrationsUnder(layers: readonly (JsonObject | null)[]): Integrations | null {
    const isOwn = layers.some((layer) => layer !== null);
    this.#charge(this.#integrations, layers, isOwn);
    return isOwn ? mergeIntegrations([this.#integrations.value, ...layers]) : this.#routed;
  }

  /**
   * When the call was sent, by its own field or else by its batch's.
   *
   * @throws Fault `too_large` when the batch merges more than it may.
   */
  sentAtOr(own: Stamp | null): Stamp | null {
    if (own !== null || this.#sentAt === null) return own;
    // Every message has a time, so a time costs nothing; a text that is no time is charged.
    const { length } = this.#sentAt.text;
    if (length > TIME_CHARACTERS) this.#add(length, 0);
    return this.#sentAt;
  }

  /** Charges a layer. `isOneByOne`: keys of the call must be put among the batch's one by one. */
  #charge(layer: Layer, own: readonly (JsonObject | null)[], isOneByOne = false): boolean {
    if (layer.value === null) return false;
    let [added, overlaps] = [layer.text.length, isOneByOne];
    for (const each of own) {
      for (const key in each) {
        const replaced = layer.lengths.get(key);
        added -= replaced ?? 0;
        // A key that looks like an integer comes before all others, wherever it is written.
        overlaps ||= replaced !== undefined || (key >= '0' && key < ':');
      }
    }
    this.#add(Math.max(added, 0), overlaps ? layer.lengths.size : 0);
    return overlaps;
  }

  #add(characters: number, keys: number): void {
    this.#merged += characters;
    this.#keys += keys;
    if (this.#merged > LIMITS.mergedCharacters || this.#keys > LIMITS.mergedKeys) {
      throw new Fault('too_large', 'The batch is too large once what it says for all calls is merged into each.');
    }
  }
}

/** A time with its offset and nanoseconds is shorter than this. */
const TIME_CHARACTERS = 64;

/** An object that is merged into each call. */
class Layer {
  readonly value: JsonObject | null;
  readonly text: string;
  /** Characters of each key with its value. */
  readonly lengths: ReadonlyMap<string, number>;

  constructor(value: JsonObject | null) {
    this.value = value;
    this.text = value === null ? '{}' : JSON.stringify(value);
    const lengths = new Map<string, number>();
    for (const key in value) lengths.set(key, JSON.stringify(key).length + JSON.stringify(value[key]).length + 2);
    this.lengths = lengths;
  }
}

/** JSON of two objects that share no key. */
function joined(first: string, second: string): string {
  if (first === '{}') return second;
  return second === '{}' ? first : `${first.slice(0, -1)},${second.slice(1)}`;
}

/** For a call that comes alone. */
export const NO_BATCH: BatchFields = new BatchFields(null, [], null);
