/** A to Z as a to z, and every other letter as it is: what every database does alike. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
