/** Longest name of a trait, in characters (UTF-16 units). */
export const MAX_KEY_LENGTH = 100;

/**
 * The name of the trait that an audience or a computed trait is sent under, made of the name people gave it (decisions
 * 10.2): lower-case words joined by `_`, where a number joins the time unit after it. `order completed last 30 days` is
 * `order_completed_last_30days`. A key is its own key.
 *
 * Letters and digits of every script are kept, those of the Latin script without their marks (`Größe` is `große`), and an
 * apostrophe leaves no gap. What grows too long ends after the last word that fits. Null when nothing is left.
 */
export function traitKey(name: string): string | null {
  let key = '';
  for (const word of words(plain(name))) {
    const longer = key === '' ? word : `${key}_${word}`;
    if (longer.length > MAX_KEY_LENGTH) return key === '' ? cut(word) : key;
    key = longer;
  }
  return key === '' ? null : key;
}

/** Why a key can't be used; null when it can. */
export function keyTrouble(key: string): string | null {
  const proper = traitKey(key);
  if (proper === key) return null;
  const rule = `must be lower-case words of letters and digits joined by "_", at most ${MAX_KEY_LENGTH} characters`;
  return proper === null ? rule : `${rule}: for example "${proper}"`;
}

const UNITS = /^(?:second|minute|hour|day|week|month|quarter|year)s?$/;

const NUMBER = /^\p{Nd}+$/u;

/** Compatible forms become one; marks are removed from Latin letters. In other scripts marks are letters and stay. */
function plain(name: string): string {
  const bare = name
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, '')
    .replace(/(?<=\p{L})['’](?=\p{L})/gu, '');
  return bare.toLowerCase().normalize('NFKC');
}

function words(text: string): string[] {
  const joined: string[] = [];
  for (const word of text.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []) {
    const before = joined.at(-1);
    if (before !== undefined && UNITS.test(word) && NUMBER.test(before)) joined[joined.length - 1] = before + word;
    else joined.push(word);
  }
  return joined;
}

/** A word longer than a key may be, cut between two characters. */
function cut(word: string): string {
  return word.slice(0, MAX_KEY_LENGTH).replace(/[\ud800-\udbff]$/, '');
}
