import { expect, test } from 'vitest';
import { Figures } from './figures.ts';
import { page } from './report.ts';
import { roundsText } from './rounds.ts';
import type { Scenario } from './scenarios/scenario.ts';

const scenario: Scenario = { name: 'race', title: 'A race', about: 'Two run.', run: () => Promise.resolve() };

function figures(): Figures {
  const figures = new Figures();
  figures.record({ id: 'race/hare', what: 'Hare', perSecond: 1_000 });
  figures.record({ id: 'race/hare', what: 'Hare', perSecond: 3_000 });
  figures.record({ id: 'race/tortoise', what: 'Tortoise', perSecond: 1_000, against: 'race/hare' });
  return figures;
}

test('rounds are shown as their median and range, ratios against that, and empty columns not at all', () => {
  const text = page([scenario], figures(), 'A machine.', '');
  expect(text).toContain(
    [
      '| What | Events/s | From – to | Ratio |',
      '| --- | --: | --: | --: |',
      '| Hare | 2,000 | 1,000 – 3,000 |  |',
      '| Tortoise | 1,000 |  | 0.50 |',
    ].join('\n'),
  );
});

test('what is written by hand is kept, and writing the page again changes nothing', () => {
  const first = page([scenario], figures(), 'A machine.', '');
  const edited = `${first}\nThe hare slept.\n`;
  const second = page([scenario], figures(), 'A machine.', edited);
  expect(second).toBe(edited);
});

test('a run of one scenario folded in replaces its section and leaves the others, targets included', () => {
  const endToEnd: Scenario = { ...scenario, name: 'end-to-end', title: 'End to end', about: 'All the way.' };
  const scenarios = [endToEnd, scenario];
  const whole = figures();
  whole.record({ id: 'end-to-end/product', what: 'Product', perSecond: 900, cpuMicros: 40 });
  whole.record({ id: 'end-to-end/straw-man', what: 'Straw man', perSecond: 1_000, cpuMicros: 20 });
  whole.skip('A race', 'broke: it rained');
  whole.skip('Something', 'no such program');
  const first = page(scenarios, whole, 'A machine.', '').replace('## Profiles', '## Profiles\n\nBy hand.');

  const again = new Figures();
  again.record({ id: 'race/hare', what: 'Hare', perSecond: 9_000 });
  again.skip('Something', 'no such program');
  const folded = page(scenarios, again, 'Another machine.', first, { fold: true });

  const expected = page([endToEnd], whole, 'A machine.', first).replace('- A race: broke: it rained\n', '');
  const race =
    '## A race\n\nTwo run.\n\nMeasured in a run of its own: Another machine.\n\n| What | Events/s |\n| --- | --: |\n| Hare | 9,000 |';
  expect(folded).toBe(expected.replace('\n\n## Not measured', `\n\n${race}\n\n## Not measured`));
  expect(folded).toContain('| End to end, to the straw man | ≥ 0.85 × | 0.9 × | yes |');
  expect(folded).toMatch(/\*\*25,000 deliveries per CPU-second\*\*.*Of the straw\nman: 50,000\./s);
  expect(folded).toContain('By hand.');
  expect(page(scenarios, again, 'Another machine.', folded, { fold: true })).toBe(folded);
});

test('each round is a line, and those of scenarios that were not measured again stay', () => {
  const first = roundsText(figures(), 'A machine.', '');
  expect(
    first
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { id: 'race/hare', what: 'Hare', perSecond: 1_000, setting: 'A machine.' },
    { id: 'race/hare', what: 'Hare', perSecond: 3_000, setting: 'A machine.' },
    { id: 'race/tortoise', what: 'Tortoise', perSecond: 1_000, against: 'race/hare', setting: 'A machine.' },
  ]);
  const other = new Figures();
  other.record({ id: 'swim/hare', what: 'Hare', perSecond: 1 });
  const both = roundsText(other, 'Another machine.', first);
  expect(both.startsWith(first)).toBe(true);
  expect(both.split('\n')).toHaveLength(5);
  expect(roundsText(other, 'Another machine.', both)).toBe(both);
});
