/** `npm run docs`: writes the pages of docs/ that are generated. checks/docs.test.ts says when one is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../packages/server/src/config.ts';
import { CATALOG_PAGES, withTables } from './catalog-tables.ts';
import { configurationPage } from './configuration-page.ts';
import { ROOT } from './tool.ts';

writeFileSync(join(ROOT, 'docs', 'configuration.md'), configurationPage(SETTINGS));
for (const page of CATALOG_PAGES.map((name) => join(ROOT, 'docs', name))) {
  writeFileSync(page, withTables(readFileSync(page, 'utf8')));
}
