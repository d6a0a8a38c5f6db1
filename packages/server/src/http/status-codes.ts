import { createRequire } from 'node:module';

const http = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** The names of HTTP's status codes. By `require`: an `import` would load everything that Node's module exports, its `fetch` too, at each start. */
export const STATUS_CODES: Readonly<Record<number, string | undefined>> = http.STATUS_CODES;
