import { readFileSync } from 'node:fs';

const path = new URL('../../package.json', import.meta.url);

/** The product's version, as its package says it. */
export const VERSION: string = (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
