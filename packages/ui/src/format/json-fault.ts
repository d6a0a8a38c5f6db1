import { isJson } from './json.ts';

export interface JsonFault {
  /** Counted from 1. */
  readonly line: number;
  readonly message: string;
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern excludes them, because JSON forbids them in a string.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

type Wanted = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next' | 'nothing';

/**
 * Where a text stops being JSON, and what would be valid there; null if it is JSON. Browsers word this differently, and
 * some do not say it.
 */
export function jsonFault(text: string): JsonFault | null {
  if (isJson(text)) return null;
  const open: ('}' | ']')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const takes = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length > 0;
  };
  const after = (): Wanted => (open.length === 0 ? 'nothing' : 'next');
  /** Reads the token that begins here. Returns what may follow it, or an error text if no valid token begins here. */
  const step = (char: string): Wanted | { readonly wrong: string } => {
    const closes =
      char === open.at(-1) && (wanted === 'next' || wanted === (char === '}' ? 'first name' : 'first value'));
    if (closes) {
      at += 1;
      open.pop();
      return after();
    }
    if (wanted === 'nothing') return { wrong: 'Nothing may follow after the end of the JSON.' };
    if (char === '')
      return { wrong: `The text ends too early${open.length > 0 ? `: ${open.at(-1)} is missing` : ''}.` };
    if (wanted === 'colon' || wanted === 'next') {
      const comma = open.at(-1) === '}' ? 'name' : 'value';
      if (char !== (wanted === 'colon' ? ':' : ',')) return { wrong: missingBefore(wanted, open.at(-1)) };
      at += 1;
      return wanted === 'colon' ? 'value' : comma;
    }
    if (takes(STRING)) return wanted === 'name' || wanted === 'first name' ? 'colon' : after();
    if (char === '"') return { wrong: 'This text has no end, or a character that has to be escaped.' };
    if (char === '}' || char === ']') return { wrong: `A comma stands before ${char}, or a value is missing.` };
    if (wanted === 'name' || wanted === 'first name') return { wrong: 'A name in double quotes is expected here.' };
    if (takes(SCALAR)) return after();
    if (char !== '{' && char !== '[') return { wrong: 'A value is expected here; texts stand in double quotes.' };
    at += 1;
    open.push(char === '{' ? '}' : ']');
    return char === '{' ? 'first name' : 'first value';
  };
  for (;;) {
    takes(SPACE);
    const next = step(text.charAt(at));
    if (typeof next === 'object') return { line: text.slice(0, at).split('\n').length, message: next.wrong };
    wanted = next;
  }
}

function missingBefore(wanted: 'colon' | 'next', end: string | undefined): string {
  return wanted === 'colon' ? 'A colon is missing before this.' : `A comma or ${end} is missing before this.`;
}
