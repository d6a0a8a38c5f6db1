/** More of an id than this is not shown in a list or a heading, characters. */
const LONGEST = 80;

/** An id in one line: the middle of one that is very long is left out, white space shows as it is. */
export function shortened(id: string): string {
  const characters = [...id];
  if (characters.length <= LONGEST) return id;
  return `${characters.slice(0, LONGEST - 20).join('')}…${characters.slice(-12).join('')}`;
}

/** A text up to so many characters. */
export function beginningOf(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

/** Is it a text that says something. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
