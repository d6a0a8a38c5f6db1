import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SEND_ERRORS } from './classify.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/delivery.md'), 'utf8');

test('docs/delivery.md lists exactly the errors a request can end with', () => {
  const rows = [...page.matchAll(/^\| `([a-z_]+)` \| (temporary|permanent) \| (.+) \|$/gm)];
  const listed = rows.map(([, code, outcome]) => [code, outcome]);
  const known = Object.entries(SEND_ERRORS).map(([code, [outcome]]) => [code, outcome]);
  expect(listed).toEqual([...known, ['url_stalled', 'temporary']]);
});
