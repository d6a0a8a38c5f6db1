import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../packages/server/src/config.ts';
import { FAULTS } from '../packages/server/src/core/fault.ts';
import { REASONS } from '../packages/server/src/core/reason.ts';
import { SEND_ERRORS } from '../packages/server/src/core/send-error.ts';
import { CATALOG_PAGES, withTables } from './catalog-tables.ts';
import { configurationPage } from './configuration-page.ts';
import { ROOT } from './tool.ts';

test('docs/configuration.md is what `npm run docs` writes', () => {
  expect(readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8')).toBe(configurationPage(SETTINGS));
});

test('the page has every setting, its flag and its default', () => {
  const page = configurationPage(SETTINGS);
  for (const { env, flag, fallback } of SETTINGS) {
    expect(page).toContain(`## \`${env}\``);
    expect(page).toContain(`\`--${flag}\``);
    if (fallback !== '') expect(page).toContain(`Default: \`${fallback}\``);
  }
});

test('the tables of codes in the docs are what `npm run docs` writes', () => {
  const pages = CATALOG_PAGES.map((name) => readFileSync(join(ROOT, 'docs', name), 'utf8'));
  for (const page of pages) expect(withTables(page)).toBe(page);
  const codes = pages.flatMap((page) => [...page.matchAll(/^\| `([a-z_]+)` \| /gm)].map(([, code]) => code));
  expect(codes).toEqual(expect.arrayContaining([FAULTS, REASONS, SEND_ERRORS].flatMap((table) => Object.keys(table))));
});

test('docs/glossary.md is by alphabet, and each word leads to a place that is there', () => {
  const glossary = readFileSync(join(ROOT, 'docs', 'glossary.md'), 'utf8');
  const terms = [...glossary.matchAll(/^\| \[(.+?)\]\((.+?)\) \| .+ \|$/gm)];
  const words = terms.map(([, word = '']) => word);
  expect(words.length).toBeGreaterThan(40);
  expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')));
  for (const [, word, see = ''] of terms) {
    const [page = '', heading] = see.split('#');
    const headings = readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/^#+ (.+)$/gm);
    const places = [...headings].map(([, text = '']) => text.toLowerCase().replaceAll('`', '').replaceAll(' ', '-'));
    if (heading !== undefined) expect([word, ...places]).toContain(heading);
  }
});

test('each rule that is cited stands in docs/contract.md', () => {
  const sections = readFileSync(join(ROOT, 'docs', 'contract.md'), 'utf8')
    .split(/^## /m)
    .slice(1);
  const rules = sections.flatMap((text) => {
    const section = Number.parseInt(text, 10);
    return [`${section}`, ...[...text.matchAll(/^(\d+)\. /gm)].map(([, point]) => `${section}.${point}`)];
  });
  const files = globSync(['packages/*/src/**/*.{ts,tsx}', 'test/**/*.ts'], { cwd: ROOT });
  const cited = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bcontract (\d+(?:\.\d+)?)/g)].map(([, rule]) => rule),
  );
  expect(cited.length).toBeGreaterThan(50);
  expect(cited.filter((rule) => !rules.includes(rule ?? ''))).toEqual([]);
});
