/**
 * The admin API as its callers see it: JSON as it travels (decisions 12), one file per resource. Types only, so that the
 * UI may import this file and nothing else of the server. The schemas beside it (schemas/) validate requests and make the
 * OpenAPI document; the compiler refuses a schema that differs from its type here. Times are ISO 8601 UTC.
 */

export type * from './contract/account.ts';
export type * from './contract/audience.ts';
export type * from './contract/backup.ts';
export type * from './contract/delivery.ts';
export type * from './contract/destination.ts';
export type * from './contract/failure.ts';
export type * from './contract/health.ts';
export type * from './contract/live.ts';
export type * from './contract/page.ts';
export type * from './contract/person.ts';
export type * from './contract/regulation.ts';
export type * from './contract/replay.ts';
export type * from './contract/search.ts';
export type * from './contract/settings-file.ts';
export type * from './contract/source.ts';
export type * from './contract/stats.ts';
