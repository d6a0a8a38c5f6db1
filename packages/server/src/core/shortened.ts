/** Most characters of what others say, such as a mail server or the names in a certificate, where it is kept. */
const MOST = 1_000;

export function shortened(text: string): string {
  return text.length <= MOST ? text : `${text.slice(0, MOST).toWellFormed()}…`;
}
