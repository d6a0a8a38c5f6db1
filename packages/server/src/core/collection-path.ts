import { CALL_TYPES, type CallType } from './event.ts';

/** Where the collection API takes calls by POST, and what a path says of the body (contract 8.1). */
export const COLLECTION_PATHS: ReadonlyMap<string, CallType | 'batch' | 'import'> = new Map([
  ...CALL_TYPES.flatMap((type) => [[`/v1/${type}`, type] as const, [`/v1/${type.charAt(0)}`, type] as const]),
  ['/v1/batch', 'batch'],
  ['/v1/b', 'batch'],
  ['/v1/import', 'import'],
]);
