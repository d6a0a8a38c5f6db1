import type { DatabaseSync, StatementResultingChanges } from 'node:sqlite';
import type { Kind } from '../../people/person.ts';
import { kindWords, type ProfileWords, plainWords } from '../relational/profile-words.ts';
import { numberOrNull, textOrNull } from './event-rows.ts';

/** The words of `people.db`. */
export function wordsIn(db: DatabaseSync): ProfileWords<string> {
  const select = db.prepare('SELECT id FROM word WHERE text = ?');
  const selectText = db.prepare('SELECT text FROM word WHERE id = ?');
  // Two texts that are not well-formed may be stored as one.
  const insert = db.prepare('INSERT OR IGNORE INTO word (text) VALUES (?)');
  return plainWords({
    numbers: async (texts) => texts.map((text) => numberOrNull(select.get(text)?.['id']) ?? undefined),
    words: async (numbers) => numbers.map((number) => textOrNull(selectText.get(number)?.['text']) ?? undefined),
    add: async (texts) => texts.map((text) => addedBy(insert.run(text))),
  });
}

/** The kinds of events of `people.db`. */
export function kindsIn(db: DatabaseSync): ProfileWords<Kind> {
  const select = db.prepare('SELECT id FROM kind WHERE type = ? AND name = ?');
  const selectKind = db.prepare('SELECT type, name FROM kind WHERE id = ?');
  const insert = db.prepare('INSERT OR IGNORE INTO kind (type, name) VALUES (?, ?)');
  return kindWords({
    async numbers(kinds) {
      return kinds.map(({ type, name }) => numberOrNull(select.get(type, name ?? '')?.['id']) ?? undefined);
    },
    async words(numbers) {
      return numbers.map((number) => {
        const row = selectKind.get(number);
        return row && { type: String(row['type']) as Kind['type'], name: String(row['name']) || null };
      });
    },
    add: async (kinds) => kinds.map(({ type, name }) => addedBy(insert.run(type, name ?? ''))),
  });
}

function addedBy({ changes, lastInsertRowid }: StatementResultingChanges): number | undefined {
  return changes === 1 ? Number(lastInsertRowid) : undefined;
}
