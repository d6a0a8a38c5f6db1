import { BoundedMap } from '../../core/bounded-map.ts';
import type { Kind } from '../../people/person.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { fromText, toText } from './text.ts';

/** A name or an id. Names of events are in the space of their type. */
export interface Word {
  readonly space: 'word' | Kind['type'];
  readonly text: string;
}

/** How many words stay in memory; others are looked up again. Invented names must not fill the memory. */
const CACHED = 20_000;

/**
 * The numbers that stand for words in rows of the profiles. A number never gets another word, and words are never removed. So
 * they can stay in memory, and be added outside the transaction that needs them.
 */
export class ProfileWords {
  readonly #queries: Queries;
  readonly #numbers = new BoundedMap<string, number>(CACHED);
  readonly #words = new BoundedMap<number, Word>(CACHED);

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** The numbers of these words; undefined for a word without one. */
  async known(words: Iterable<Word>): Promise<(word: Word) => number | undefined> {
    const found = new Map<string, number>();
    const missing = new Map<string, Word>();
    for (const word of words) {
      const name = idOf(word);
      const number = this.#numbers.get(name);
      if (number === undefined) missing.set(name, word);
      else found.set(name, number);
    }
    for (const [number, word] of await this.#find([...missing.keys()])) found.set(idOf(word), number);
    return (word) => found.get(idOf(word));
  }

  /** The numbers of these words. A new word gets a number. */
  async made(words: Iterable<Word>): Promise<(word: Word) => number> {
    const all = [...words];
    let numberOf = await this.known(all);
    const missing = new Map(all.flatMap((word) => (numberOf(word) === undefined ? [[idOf(word), word]] : [])));
    if (missing.size > 0) {
      await this.#queries.query(
        `INSERT INTO profile_words (key, space, text) SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[])
         ON CONFLICT DO NOTHING`,
        [
          [...missing.keys()].map(keyOf),
          [...missing.values()].map(({ space }) => space),
          [...missing.values()].map(({ text }) => toText(text)),
        ],
      );
      numberOf = await this.known(all);
    }
    return (word) => numberOf(word) ?? 0;
  }

  /** The words of these numbers. */
  async words(numbers: Iterable<number>): Promise<(number: number) => Word | undefined> {
    const found = new Map<number, Word>();
    const missing = new Set<number>();
    for (const number of numbers) {
      const word = this.#words.get(number);
      if (word) found.set(number, word);
      else missing.add(number);
    }
    if (missing.size > 0) {
      const rows = await this.#queries.query<WordRow>(`${WORDS} WHERE number = ANY($1::int[])`, [[...missing]]);
      for (const [number, word] of this.#remember(rows)) found.set(number, word);
    }
    return (number) => found.get(number);
  }

  async #find(names: readonly string[]): Promise<readonly (readonly [number, Word])[]> {
    if (names.length === 0) return [];
    return this.#remember(
      await this.#queries.query<WordRow>(`${WORDS} WHERE key = ANY($1::uuid[])`, [names.map(keyOf)]),
    );
  }

  #remember(rows: readonly WordRow[]): readonly (readonly [number, Word])[] {
    return rows.map(({ number, space, text }) => {
      const word = { space, text: fromText(text) };
      this.#numbers.set(idOf(word), number);
      this.#words.set(number, word);
      return [number, word] as const;
    });
  }
}

/** A word that is no event's name. */
export function plain(text: string): Word {
  return { space: 'word', text };
}

export function wordOfKind({ type, name }: Kind): Word {
  return { space: type, text: name ?? '' };
}

export function kindOfWord(word: Word | undefined): Kind {
  return { type: (word?.space ?? 'track') as Kind['type'], name: word?.text || null };
}

interface WordRow {
  readonly number: number;
  readonly space: Word['space'];
  readonly text: string;
}

const WORDS = 'SELECT number, space, text FROM profile_words';

/** The text of which a word's key is made. */
export function idOf({ space, text }: { readonly space: string; readonly text: string }): string {
  return `${space} ${text}`;
}
