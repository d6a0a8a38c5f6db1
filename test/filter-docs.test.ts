import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checkCallFilter, compileCallFilter } from '../packages/server/src/deliver/call-filter.ts';
import { checkRedactions, redacted } from '../packages/server/src/deliver/redaction.ts';

/** The examples of docs/filters.md, held against the call they are said to be about. */

const page = readFileSync(new URL('../docs/filters.md', import.meta.url), 'utf8');
const examples = (kind: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`json ${kind}\n(.*?)\n\`\`\``, 'gms'))].map(([, json = '']) => json);
const [call = ''] = examples('call');
const filters = examples('filter');

test('there are examples of each kind', () => {
  expect(filters.length).toBeGreaterThanOrEqual(4);
});

test.each(filters)('the call passes %s', (json) => {
  const filter = JSON.parse(json);
  expect(checkCallFilter(filter)).toEqual({ value: filter });
  expect(compileCallFilter(filter)(JSON.parse(call), 'src_1')).toBe(null);
});

test('the rules make of the call what the page says', () => {
  const [rules = '', after = ''] = [...examples('redact'), ...examples('redacted')];
  const redact = JSON.parse(rules);
  expect(checkRedactions(redact)).toEqual({ value: redact });
  expect(JSON.stringify(redacted(JSON.parse(call), { redact }).call)).toBe(JSON.stringify(JSON.parse(after)));
});
