import { globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../checks/tool.ts';
import { SCENES } from './scenes.ts';

const FOLDER = join(ROOT, 'docs', 'pictures');

/** Pictures that a page of the docs shows, from the root. Code shows none. */
function picturesOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/^```[\s\S]*?^```/gm, '');
  const names = [...text.matchAll(/!\[[^\]]*\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)];
  return names.map(([, markdown, html]) => join(dirname(page), markdown ?? html ?? ''));
}

test('the docs show every picture that `npm run pictures` takes, and no other', () => {
  const shown = new Set(['README.md', ...globSync('docs/*.md', { cwd: ROOT })].flatMap(picturesOf));
  const taken = SCENES.map(({ name }) => relative(ROOT, join(FOLDER, `${name}.png`)));
  expect([...shown].sort()).toEqual(taken.sort());
});

test('each picture is there, and small', () => {
  expect(readdirSync(FOLDER).sort()).toEqual(SCENES.map(({ name }) => `${name}.png`).sort());
  for (const name of readdirSync(FOLDER)) expect(statSync(join(FOLDER, name)).size).toBeLessThan(250_000);
});
