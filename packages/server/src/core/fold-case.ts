/** The text with A to Z as a to z and every other letter unchanged: every database folds case at least so. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
