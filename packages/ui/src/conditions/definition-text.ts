import { parsed } from '../format/parsed.ts';
import { isKept } from './kept-number.ts';

/** What a text says as a definition; undefined where `troubleIn` finds something. */
export function definitionIn(text: string): unknown {
  return troubleIn(text) === null ? parsed(text) : undefined;
}

/** Why a text is no definition as it stands: it is no JSON, or something of it would be lost. Null where nothing is wrong. */
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

/** How many names a JSON text has: the texts that a colon follows. */
function namesIn(text: string): number {
  return [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
}
