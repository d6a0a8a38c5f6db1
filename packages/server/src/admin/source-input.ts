import type { Source } from '../core/source.ts';
import type { NewSource } from './contract.ts';
import { newId, newWriteKey } from './ids.ts';

/** @param createdAt ISO 8601 UTC. */
export function newSource(
  { name, type, enabled = true, writeKey = newWriteKey() }: NewSource,
  createdAt: string,
): Source {
  return { id: newId('src'), name, type, writeKey, enabled, createdAt, oldKey: null };
}
