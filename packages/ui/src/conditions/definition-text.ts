import { parsed } from '../format/parsed.ts';

/** What a text says as a definition; undefined where it is no JSON, or says a number that would become another one. */
export function definitionIn(text: string): unknown {
  return changedNumber(text) === null ? parsed(text) : undefined;
}

/** The first whole number of a JSON text that can't be kept as it stands there: beyond 2^53 not every one can. */
export function changedNumber(text: string): string | null {
  if (parsed(text) === undefined) return null;
  let changed: string | null = null;
  const look = (_: string, value: unknown, { source = '' }: { readonly source?: string } = {}): unknown => {
    const isWhole = typeof value === 'number' && /^-?\d+$/.test(source);
    if (isWhole && (!Number.isFinite(value) || BigInt(source) !== BigInt(value))) changed ??= source;
    return value;
  };
  JSON.parse(text, look);
  return changed;
}
