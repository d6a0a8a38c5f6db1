import { expect, test } from 'vitest';
import { Fault } from '../core/fault.ts';
import { inTurns, type Questions } from './questions.ts';

test('what one caller asks behind a question that the store does not answer fails with it; what is asked later is asked', async () => {
  const asked: number[] = [];
  const questions = {
    async persons() {
      asked.push(asked.length);
      if (asked.length === 1) throw new Fault('storage_unavailable', 'PostgreSQL does not answer');
      return 7;
    },
  } as unknown as Questions;
  const of = inTurns(questions, async () => undefined);
  const together = [of('a').persons(), of('a').persons(), of('b').persons()];
  expect((await Promise.allSettled(together)).map(({ status }) => status)).toEqual([
    'rejected',
    'rejected',
    'fulfilled',
  ]);
  expect(asked).toHaveLength(2);
  expect(await of('a').persons()).toBe(7);
});
