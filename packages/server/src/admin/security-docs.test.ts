import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../../checks/tool.ts';

test('each row of the threat model names tests that are there', () => {
  const table = readFileSync(join(ROOT, 'docs/security.md'), 'utf8').split('## What is not stopped')[0] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('|') && !/^\|(---|\sWho)/.test(line));
  expect(rows.length).toBeGreaterThan(15);
  for (const row of rows) {
    const tests = [...row.matchAll(/`([\w/.-]+\.test\.ts)`/g)].map(([, path = '']) => path);
    expect(tests.length, row).toBeGreaterThan(0);
    for (const path of tests) expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
  }
});
