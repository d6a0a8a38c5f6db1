import type { Kind } from '../../people/person.ts';
import { kindWords, type ProfileWords, plainWords, type WordTable } from '../relational/profile-words.ts';
import type { Queries } from './database.ts';
import { keyOf } from './profile-keys.ts';
import { fromText, insertRows, toText } from './text.ts';

/** A row of `profile_words`. The names of events are in the space of their type, all other words in the space `word`. */
interface Word {
  readonly space: string;
  readonly text: string;
}

export interface PostgresWords {
  readonly words: ProfileWords<string>;
  readonly kinds: ProfileWords<Kind>;
}

/** The words of the profiles. They may be added outside the transaction that needs them: they are never removed. */
export function wordsIn(queries: Queries): PostgresWords {
  const plain = ({ text }: Word): string => text;
  const kind = ({ space, text }: Word): Kind => ({ type: space as Kind['type'], name: text || null });
  return {
    words: plainWords(wordTable(queries, (text) => ({ space: 'word', text }), plain)),
    kinds: kindWords(wordTable(queries, ({ type, name }) => ({ space: type, text: name ?? '' }), kind)),
  };
}

function wordTable<W>(queries: Queries, wordOf: (one: W) => Word, ofWord: (word: Word) => W): WordTable<W> {
  return {
    async numbers(some) {
      const keys = some.map((one) => wordKey(wordOf(one)));
      const rows = await queries.query<{ number: number; key: string }>(
        'SELECT number, key FROM profile_words WHERE key = ANY($1::uuid[])',
        [keys],
      );
      const numbers = new Map(rows.map(({ number, key }) => [key, number]));
      return keys.map((key) => numbers.get(key));
    },
    async words(numbers) {
      const rows = await queries.query<{ number: number; space: string; text: string }>(
        'SELECT number, space, text FROM profile_words WHERE number = ANY($1::int[])',
        [numbers],
      );
      const words = new Map(rows.map(({ number, space, text }) => [number, ofWord({ space, text: fromText(text) })]));
      return numbers.map((number) => words.get(number));
    },
    async add(some) {
      const words = some
        .map(wordOf)
        .map(({ space, text }) => ({ key: wordKey({ space, text }), space, text: toText(text) }));
      const rows = await insertRows<{ number: number; key: string }>(
        queries,
        'profile_words',
        words,
        'ON CONFLICT DO NOTHING RETURNING t.number, t.key',
      );
      const numbers = new Map(rows.map(({ number, key }) => [key, number]));
      return words.map(({ key }) => numbers.get(key));
    },
  };
}

export function wordKey({ space, text }: Word): string {
  return keyOf(`${space} ${text}`);
}
