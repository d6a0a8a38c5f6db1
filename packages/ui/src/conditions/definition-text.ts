import { parsed } from '../format/parsed.ts';
import { isKept } from './kept-number.ts';

/** The definition in a JSON text; undefined if `troubleIn` finds an error. */
export function definitionIn(text: string): unknown {
  return troubleIn(text) === null ? parsed(text) : undefined;
}

/** Why a text can't be used as a definition: it is not JSON, or a part of it would be lost. Null if it can be used. */
export function troubleIn(text: string): string | null {
  if (parsed(text) === undefined) return 'This is no JSON.';
  let changed: string | null = null;
  let names = -1;
  JSON.parse(text, function look(this: unknown, _, value: unknown, { source }: { readonly source?: string } = {}) {
    if (typeof value === 'number' && source !== undefined && !isKept(source)) changed ??= source;
    if (!Array.isArray(this)) names += 1;
    return value;
  });
  if (changed !== null)
    return `The number ${changed} can’t be kept exactly: it would become ${Number(changed)}. Write another one, or a text.`;
  return names < namesIn(text) ? 'One of the names comes twice in the same place: only the last would count.' : null;
}

/** The number of names in a JSON text: strings followed by a colon. */
function namesIn(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}
