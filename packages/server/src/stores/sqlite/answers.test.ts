import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import type { Attempt } from '../../core/delivery.ts';
import {
  ANSWERS_SCHEMA,
  answersOf,
  eraseAnswers,
  linesOf,
  readAttempts,
  SELECT_ANSWERS,
  withAnswers,
} from './answers.ts';

const db = new DatabaseSync(':memory:');
db.exec(ANSWERS_SCHEMA);
afterEach(() => db.exec('DELETE FROM answers'));

const attempt: Attempt = { url: 'https://a.test/', at: 1, ms: 2, status: 500, error: null, detail: null, answer: null };
const read = (text: string) => readAttempts(text, db.prepare(SELECT_ANSWERS));

test('answers are read back to their attempts, round by round, and are gone when they are erased', () => {
  const rounds = [
    ['one', null],
    [null, null],
    [null, 'four'],
  ].map((round) => round.map((answer) => ({ ...attempt, answer })));
  const texts = rounds.map((round, i) => {
    const json = answersOf(round);
    if (json === '') return linesOf(round);
    db.prepare('INSERT INTO answers (id, json) VALUES (?, ?)').run(i, json);
    return withAnswers(i, linesOf(round));
  });
  const text = texts.join('\n');
  expect(read(text)).toEqual(rounds.flat());
  const erased = eraseAnswers(db, text);
  expect(read(erased)).toEqual(rounds.flat().map(() => attempt));
  const left = db.prepare('SELECT json FROM answers').all();
  expect(left.map(({ json }) => json)).toEqual(['[]', '[]']);
});

test('attempts that hold their answers themselves, as early versions wrote them, are read and erased too', () => {
  const old = { ...attempt, answer: 'you sent it' };
  const text = [old, attempt].map((each) => JSON.stringify(each)).join('\n');
  expect(read(text)).toEqual([old, attempt]);
  expect(eraseAnswers(db, text)).not.toContain('you sent it');
  expect(read(eraseAnswers(db, text))).toEqual([attempt, attempt]);
  expect([read(''), eraseAnswers(db, '')]).toEqual([[], '']);
});
