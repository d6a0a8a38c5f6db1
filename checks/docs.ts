/** `npm run docs`: writes the pages of docs/ that are generated. checks/docs.test.ts says when one is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTINGS } from '../packages/server/src/config.ts';
import { TERMS } from '../packages/ui/src/glossary/terms.ts';
import { CATALOG_PAGES, withTables } from './catalog-tables.ts';
import { configurationPage } from './configuration-page.ts';
import { glossaryPage } from './glossary-page.ts';
import { ROOT } from './tool.ts';

writeFileSync(join(ROOT, 'docs', 'configuration.md'), configurationPage(SETTINGS));
writeFileSync(join(ROOT, 'docs', 'glossary.md'), glossaryPage(TERMS));
for (const page of CATALOG_PAGES.map((name) => join(ROOT, 'docs', name))) {
  writeFileSync(page, withTables(readFileSync(page, 'utf8')));
}
