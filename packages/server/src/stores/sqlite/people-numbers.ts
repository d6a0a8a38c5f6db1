import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { BoundedMap } from '../../core/bounded-map.ts';
import type { Kind } from '../../people/person.ts';

/** How many names stay in memory; others are looked up in the database. Invented names must not fill the memory. */
const CACHED = 20_000;

/** The numbers that stand for words (names of traits, ids of groups and definitions) and kinds in `people.db`. */
export class PeopleNumbers {
  readonly #words = new BoundedMap<string, number>(CACHED);
  readonly #texts = new BoundedMap<number, string>(CACHED);
  readonly #kinds = new BoundedMap<number, Kind>(CACHED);
  readonly #kindNumbers = new BoundedMap<string, number>(CACHED);
  readonly #selectWord: StatementSync;
  readonly #selectText: StatementSync;
  readonly #addWord: StatementSync;
  readonly #selectKind: StatementSync;
  readonly #selectKindNumber: StatementSync;
  readonly #addKind: StatementSync;

  constructor(db: DatabaseSync) {
    this.#selectWord = db.prepare('SELECT id FROM word WHERE text = ?');
    this.#selectText = db.prepare('SELECT text FROM word WHERE id = ?');
    this.#addWord = db.prepare('INSERT INTO word (text) VALUES (?)');
    this.#selectKind = db.prepare('SELECT type, name FROM kind WHERE id = ?');
    this.#selectKindNumber = db.prepare('SELECT id FROM kind WHERE type = ? AND name = ?');
    this.#addKind = db.prepare('INSERT INTO kind (type, name) VALUES (?, ?)');
  }

  /** The number of a word; null if no row has the word. */
  knownWord(text: string): number | null {
    const known = this.#words.get(text);
    if (known !== undefined) return known;
    const row = this.#selectWord.get(text);
    return row ? remember(this.#words, text, Number(row['id'])) : null;
  }

  /** The number of a word. A new word gets a number. */
  word(text: string): number {
    return this.knownWord(text) ?? Number(this.#addWord.run(text).lastInsertRowid);
  }

  text(number: number): string {
    return this.#texts.get(number) ?? remember(this.#texts, number, String(this.#selectText.get(number)?.['text']));
  }

  /** The number of a kind of events; null if no event is of this kind. */
  knownKind({ type, name }: Kind): number | null {
    const key = `${type} ${name ?? ''}`;
    const known = this.#kindNumbers.get(key);
    if (known !== undefined) return known;
    const row = this.#selectKindNumber.get(type, name ?? '');
    return row ? remember(this.#kindNumbers, key, Number(row['id'])) : null;
  }

  /** The number of a kind of events. A new kind gets a number. */
  kindNumber(kind: Kind): number {
    return this.knownKind(kind) ?? Number(this.#addKind.run(kind.type, kind.name ?? '').lastInsertRowid);
  }

  kind(number: number): Kind {
    const known = this.#kinds.get(number);
    if (known) return known;
    const row = this.#selectKind.get(number);
    const type = String(row?.['type']) as Kind['type'];
    return remember(this.#kinds, number, { type, name: String(row?.['name']) || null });
  }

  /** Clears the memory after a transaction was rolled back. */
  clear(): void {
    for (const cache of [this.#words, this.#texts, this.#kinds, this.#kindNumbers]) cache.clear();
  }
}

function remember<K, V>(cache: Map<K, V>, key: K, value: V): V {
  cache.set(key, value);
  return value;
}
