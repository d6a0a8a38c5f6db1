/**
 * The admin API as its callers see it: the JSON in requests and answers (contract 12), one file per resource. The types come from
 * the schemas, which also validate requests and make the OpenAPI document. This file has only types, so the UI may import it, and
 * nothing else of the server. Times are ISO 8601 UTC.
 */

export type { Role } from '../core/account.ts';
export type * from './schemas/account.ts';
export type * from './schemas/alert.ts';
export type * from './schemas/audience.ts';
export type * from './schemas/check.ts';
export type * from './schemas/definition.ts';
export type * from './schemas/delivery.ts';
export type * from './schemas/destination.ts';
export type * from './schemas/destination-status.ts';
export type * from './schemas/failure.ts';
export type * from './schemas/health.ts';
export type * from './schemas/live.ts';
export type * from './schemas/page.ts';
export type * from './schemas/person.ts';
export type * from './schemas/problem.ts';
export type * from './schemas/regulation.ts';
export type * from './schemas/replay.ts';
export type * from './schemas/routing-preview.ts';
export type * from './schemas/search.ts';
export type * from './schemas/settings-file.ts';
export type * from './schemas/source.ts';
export type * from './schemas/stats.ts';
