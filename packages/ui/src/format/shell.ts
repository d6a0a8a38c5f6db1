/**
 * A text as one word of a POSIX shell. Control characters are printed by the shell: pasted into a terminal as they are, they
 * edit the command (U+007F takes the quote before it away). A line break stays: between quotes it is one.
 */
export function quoted(text: string): string {
  const word = text
    .replaceAll("'", String.raw`'\''`)
    .replaceAll(CONTROLS, (controls) => `'"$(printf '${octal(controls)}')"'`);
  return `'${word}'`;
}

/** Control characters, but not the line feed. */
const CONTROLS = /[^\P{Cc}\n]+/gu;

function octal(text: string): string {
  const bytes = [...new TextEncoder().encode(text)];
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}
