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

/** Checks what a schema can't: origins that no browser sends, and values of rules that do not work. */
export function sourceErrors({ allowedOrigins = [], alerts }: NewSource | SourceChange): FieldError[] {
  const origins = allowedOrigins.flatMap((text, place) => {
    const origin = URL.parse(text)?.origin;
    const isWild = text.includes('*');
    const message = isWild
      ? 'can not have a wildcard: name each origin in full, or leave the list empty to allow all pages'
      : `must be an origin as browsers send it: ${origin ?? 'https://shop.example.com'}`;
    return origin === text && !isWild ? [] : [{ path: `allowedOrigins.${place}`, message }];
  });
  return [...origins, ...ruleErrors('alerts', alerts)];
}

/** A source can't become a server source: receivers and people/ trust all calls of server sources, even earlier ones. */
export function typeErrors(now: Pick<Source, 'type'>, { type = now.type }: SourceChange): FieldError[] {
  if (type !== 'server' || now.type === 'server') return [];
  return [{ path: 'type', message: 'can not become server: its write key was public. Create a server source' }];
}

/** @throws InvalidInput naming every field that can't be saved. */
export function checkSource(input: NewSource | SourceChange): void {
  refuseErrors(sourceErrors(input));
}

/** The source after a change. @throws InvalidInput if the change is not possible. */
export function changedSource(now: Source, input: SourceChange): Source {
  refuseErrors(typeErrors(now, input));
  return { ...now, ...input };
}

function refuseErrors(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidInput(errors);
}
