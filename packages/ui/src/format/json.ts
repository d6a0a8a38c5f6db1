import { parsed } from './parsed.ts';

/** A token of a JSON text; `other` is punctuation or white space. */
export interface JsonToken {
  readonly kind: 'name' | 'string' | 'number' | 'literal' | 'other';
  readonly text: string;
  /** The index at which it begins. */
  readonly at: number;
}

const PIECE = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)|([^"\d\-tfn]+|[\s\S])/g;

/** The tokens of a JSON text. Joined, they give the same text. */
export function tokens(json: string): JsonToken[] {
  return [...json.matchAll(PIECE)].flatMap(
    ({ 0: whole, 1: string, 2: colon, 3: number, 4: literal, index: at }): JsonToken[] => {
      if (string === undefined) {
        const kind = number !== undefined ? 'number' : literal !== undefined ? 'literal' : 'other';
        return [{ kind, text: whole, at }];
      }
      if (colon === undefined) return [{ kind: 'string', text: string, at }];
      return [
        { kind: 'name', text: string, at },
        { kind: 'other', text: colon, at: at + string.length },
      ];
    },
  );
}

/** The same JSON in lines. Only white space is added, so numbers keep their digits. Text that is not JSON is returned unchanged. */
export function prettyJson(json: string): string {
  if (!isJson(json)) return json;
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  return tokens(json)
    .flatMap(({ kind, text }) => (kind === 'other' ? text.replace(/\s/g, '').split('') : [text]))
    .map((piece, i, all) => {
      if (piece === '{' || piece === '[') {
        if (all[i + 1] === '}' || all[i + 1] === ']') return piece;
        depth += 1;
        return piece + line();
      }
      if (piece === '}' || piece === ']') {
        if (all[i - 1] === '{' || all[i - 1] === '[') return piece;
        depth -= 1;
        return line() + piece;
      }
      if (piece === ',') return piece + line();
      return piece === ':' ? ': ' : piece;
    })
    .join('');
}

export function isJson(text: string): boolean {
  return parsed(text) !== undefined;
}
