/** The words that other pages explain in place. */
export const EXPLAINED = ['accepted', 'breaker', 'held', 'messageId', 'retry window', 'waiting'] as const;

export type TermName = (typeof EXPLAINED)[number];

/** The path of a word on the page *Glossary*. */
export function placeOf(word: string): string {
  return word.replaceAll(' ', '-');
}
