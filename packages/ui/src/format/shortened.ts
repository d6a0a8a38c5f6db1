/** Most characters of an id that a list or a heading shows. */
const LONGEST = 80;

/** An id in one line. A very long id loses its middle; white space is shown as it is. */
export function shortened(id: string): string {
  const characters = [...id];
  if (characters.length <= LONGEST) return id;
  return `${characters.slice(0, LONGEST - 20).join('')}…${characters.slice(-12).join('')}`;
}

/** The first `most` characters of a text, followed by `…` if it is longer. */
export function beginningOf(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}

/** Whether a value is a non-empty text. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
