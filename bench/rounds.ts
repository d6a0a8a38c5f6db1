import type { Figures } from './figures.ts';

/**
 * Every round of every figure as one line of JSON: what the medians of the page are made of. Of the text that an earlier run left it
 * keeps the scenarios that this one didn't measure.
 */
export function roundsText(figures: Figures, setting: string, before: string): string {
  const measured = new Set([...figures.rounds()].map(({ id }) => scenarioOf(id)));
  const kept = before
    .split('\n')
    .filter((line) => line !== '' && !measured.has(scenarioOf((JSON.parse(line) as { id: string }).id)));
  const lines = figures.rounds().map((figure) => JSON.stringify({ ...figure, setting }));
  return [...kept, ...lines, ''].join('\n');
}

function scenarioOf(id: string): string {
  return id.split('/', 1)[0] ?? id;
}
