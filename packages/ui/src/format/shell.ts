/**
 * Quotes a text as one word of a POSIX shell. The shell prints its control characters: pasted directly, they would edit
 * the command line (U+007F deletes the quote before it). A line break stays: inside quotes it is a plain character.
 */
export function quoted(text: string): string {
  const word = text
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(CONTROLS, (controls) => `'"$(printf '${octal(controls)}')"'`);
  return `'${word}'`;
}

/** Control characters except the line feed. */
const CONTROLS = /[^\P{Cc}\n]+/gu;

function octal(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
