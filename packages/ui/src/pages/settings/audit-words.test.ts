import { expect, test } from 'vitest';
import { auditWords } from './audit-words.ts';

test('an entry reads as a sentence', () => {
  const target = { type: 'source', id: 'src_1', name: 'Web shop' };
  expect(auditWords({ action: 'source.create', target })).toEqual({ verb: 'created the source', object: 'Web shop' });
});

test('what has no name is called by its id', () => {
  const target = { type: 'replay', id: 'rep_1', name: null };
  expect(auditWords({ action: 'replay.stop', target })).toEqual({ verb: 'stopped the replay', object: 'rep_1' });
});

test('an action without words is called by its name', () => {
  expect(auditWords({ action: 'mill.turn', target: null })).toEqual({ verb: 'mill.turn', object: null });
});
