import type { Source } from '../core/source.ts';
import type { FieldError, NewSource, SourceChange } from './contract.ts';
import { newId, newWriteKey } from './ids.ts';
import { invalidInput } from './input.ts';

/** @param createdAt ISO 8601 UTC. */
export function newSource(input: NewSource, createdAt: string): Source {
  const { name, type, writeKey = newWriteKey(), enabled = true, allowedOrigins = [], quota = null } = input;
  return { id: newId('src'), name, type, writeKey, enabled, createdAt, oldKey: null, allowedOrigins, quota };
}

/** What a schema can't say about a source: origins that no browser sends. */
export function sourceErrors({ allowedOrigins = [] }: NewSource | SourceChange): FieldError[] {
  return allowedOrigins.flatMap((text, place) => {
    const origin = URL.parse(text)?.origin;
    const message = `must be an origin as browsers send it: ${origin ?? 'https://shop.example.com'}`;
    return origin === text ? [] : [{ path: `allowedOrigins.${place}`, message }];
  });
}

/** @throws InvalidInput naming every origin that can't be saved. */
export function checkSource(input: NewSource | SourceChange): void {
  const errors = sourceErrors(input);
  if (errors.length > 0) throw invalidInput(errors);
}
