import { expect, test } from 'vitest';
import { Figures } from './figures.ts';
import { page } from './report.ts';
import type { Scenario } from './scenarios/scenario.ts';

const scenario: Scenario = { name: 'race', title: 'A race', about: 'Two run.', run: () => Promise.resolve() };

function figures(): Figures {
  const figures = new Figures();
  figures.record({ id: 'race/hare', what: 'Hare', perSecond: 1_000 });
  figures.record({ id: 'race/hare', what: 'Hare', perSecond: 3_000 });
  figures.record({ id: 'race/tortoise', what: 'Tortoise', perSecond: 1_000, against: 'race/hare' });
  return figures;
}

test('rounds are shown as their mean, ratios against it, and empty columns not at all', () => {
  const text = page([scenario], figures(), 'A machine.', '');
  expect(text).toContain(
    ['| What | Events/s | Ratio |', '| --- | --: | --: |', '| Hare | 2,000 |  |', '| Tortoise | 1,000 | 0.50 |'].join(
      '\n',
    ),
  );
});

test('what is written by hand is kept, and writing the page again changes nothing', () => {
  const first = page([scenario], figures(), 'A machine.', '');
  const edited = `${first}\nThe hare slept.\n`;
  const second = page([scenario], figures(), 'A machine.', edited);
  expect(second).toBe(edited);
});
