import type { Source } from '../core/source.ts';
import { ruleErrors } from './alert-input.ts';
import type { FieldError, NewSource, SourceChange } from './contract.ts';
import { newId, newWriteKey } from './ids.ts';
import { invalidInput } from './input.ts';

/** @param createdAt ISO 8601 UTC. */
export function newSource(input: NewSource, createdAt: string): Source {
  const {
    name,
    type,
    writeKey = newWriteKey(),
    enabled = true,
    allowedOrigins = [],
    quota = null,
    alerts = {},
  } = input;
  return { id: newId('src'), name, type, writeKey, enabled, createdAt, oldKey: null, allowedOrigins, quota, alerts };
}

/** What a schema can't say about a source: origins that no browser sends, and values of rules that do not work. */
export function sourceErrors({ allowedOrigins = [], alerts }: NewSource | SourceChange): FieldError[] {
  const origins = allowedOrigins.flatMap((text, place) => {
    const origin = URL.parse(text)?.origin;
    const message = `must be an origin as browsers send it: ${origin ?? 'https://shop.example.com'}`;
    return origin === text ? [] : [{ path: `allowedOrigins.${place}`, message }];
  });
  return [...origins, ...ruleErrors('alerts', alerts)];
}

/** @throws InvalidInput naming everything that can't be saved. */
export function checkSource(input: NewSource | SourceChange): void {
  const errors = sourceErrors(input);
  if (errors.length > 0) throw invalidInput(errors);
}
