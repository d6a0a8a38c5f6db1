import { BoundedMap } from '../../core/bounded-map.ts';
import type { Kind } from '../../people/person.ts';

/** How many words stay in memory; others are looked up again. Invented names must not fill the memory. */
const CACHED = 20_000;

/** How a database stores words with their numbers. The answers are in the order of what is asked. */
export interface WordTable<W> {
  numbers(words: readonly W[]): Promise<readonly (number | undefined)[]>;
  words(numbers: readonly number[]): Promise<readonly (W | undefined)[]>;
  /** Adds words that have no number. Answers undefined for one that another process has added meanwhile. */
  add(words: readonly W[]): Promise<readonly (number | undefined)[]>;
}

/** Names of traits, ids of groups and of definitions. */
export function plainWords(table: WordTable<string>): ProfileWords<string> {
  return new ProfileWords(table, (text) => text, '');
}

/** Kinds of events. A kind without a name is stored with an empty one. */
export function kindWords(table: WordTable<Kind>): ProfileWords<Kind> {
  return new ProfileWords(table, ({ type, name }) => `${type} ${name ?? ''}`, { type: 'track', name: null });
}

/**
 * The numbers that stand in rows for words that would otherwise be stored millions of times. A number never gets another word,
 * and words are never removed, so they can stay in memory.
 */
export class ProfileWords<W> {
  readonly #table: WordTable<W>;
  readonly #keyOf: (word: W) => string;
  readonly #none: W;
  readonly #numbers = new BoundedMap<string, number>(CACHED);
  readonly #words = new BoundedMap<number, W>(CACHED);

  /** `keyOf` answers another text for each word. A number without a word stands for `none`. */
  constructor(table: WordTable<W>, keyOf: (word: W) => string, none: W) {
    this.#table = table;
    this.#keyOf = keyOf;
    this.#none = none;
  }

  /** The numbers of these words; undefined for a word that no row has. */
  async known(words: Iterable<W>): Promise<(word: W) => number | undefined> {
    const numbers = new Map<string, number>();
    const missing = new Map<string, W>();
    for (const word of words) {
      const key = this.#keyOf(word);
      const number = this.#numbers.get(key);
      if (number === undefined) missing.set(key, word);
      else numbers.set(key, number);
    }
    if (missing.size > 0) this.#note(missing, await this.#table.numbers([...missing.values()]), numbers);
    return (word) => numbers.get(this.#keyOf(word));
  }

  /** The numbers of these words. A new word gets a number. */
  async made(words: readonly W[]): Promise<(word: W) => number> {
    const known = await this.known(words);
    const missing = new Map(words.filter((word) => known(word) === undefined).map((word) => [this.#keyOf(word), word]));
    if (missing.size === 0) return (word) => known(word) ?? 0;
    const added = new Map<string, number>();
    this.#note(missing, await this.#table.add([...missing.values()]), added);
    const others = await this.known([...missing].flatMap(([key, word]) => (added.has(key) ? [] : [word])));
    return (word) => known(word) ?? added.get(this.#keyOf(word)) ?? others(word) ?? 0;
  }

  /** The words of these numbers. */
  async of(numbers: Iterable<number>): Promise<(number: number) => W> {
    const words = new Map<number, W>();
    const missing: number[] = [];
    for (const number of new Set(numbers)) {
      const word = this.#words.get(number);
      if (word === undefined) missing.push(number);
      else words.set(number, word);
    }
    const found = missing.length === 0 ? [] : await this.#table.words(missing);
    for (const [i, number] of missing.entries()) {
      const word = found[i];
      if (word === undefined) continue;
      this.#words.set(number, word);
      words.set(number, word);
    }
    return (number) => words.get(number) ?? this.#none;
  }

  /** Forgets all after a transaction that added words was rolled back. */
  clear(): void {
    this.#numbers.clear();
    this.#words.clear();
  }

  #note(words: ReadonlyMap<string, W>, numbers: readonly (number | undefined)[], into: Map<string, number>): void {
    for (const [i, key] of [...words.keys()].entries()) {
      const number = numbers[i];
      if (number === undefined) continue;
      this.#numbers.set(key, number);
      into.set(key, number);
    }
  }
}
