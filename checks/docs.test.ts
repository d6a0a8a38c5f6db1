import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SETTINGS } from '../packages/server/src/config.ts';
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
