/** Those that explain themselves in other pages. */
export const EXPLAINED = ['accepted', 'breaker', 'held', 'messageId', 'retry window', 'waiting'] as const;

export type TermName = (typeof EXPLAINED)[number];

/** Where a word stands on the page *Glossary*. */
export function placeOf(word: string): string {
  return word.replaceAll(' ', '-');
}
