import { createRequire } from 'node:module';

const http = createRequire(import.meta.url)('node:http') as typeof import('node:http');

/** The words of HTTP's statuses. An import would load everything that Node's module offers, its own `fetch` too, at each start. */
export const STATUS_CODES: Readonly<Record<number, string | undefined>> = http.STATUS_CODES;
