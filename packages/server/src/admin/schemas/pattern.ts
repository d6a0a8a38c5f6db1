/** Patterns of texts, and what a text that has another form is told, to follow its place. */
export const NOT_BLANK = '\\S';
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u001f\\u007f\\s][^\\u0000-\\u001f\\u007f]*$';
export const E_MAIL = '^[^\\s@]+@[^\\s@]+$';
export const FAILURE = '^([1-5][0-9]{2}|[1-5]xx|[a-z][a-z_]*)$';
export const WRITE_KEY = '^[A-Za-z0-9_-]{16,64}$';

export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [NOT_BLANK]: 'must not be blank',
  [ONE_LINE]: 'must not be blank, and must have no control characters',
  [E_MAIL]: 'must be an e-mail address',
  [FAILURE]: 'must be a status (503), a class of them (5xx) or the code of an error (timeout)',
  [WRITE_KEY]: 'must be 16 to 64 letters (a to z, A to Z), digits, _ or -',
};
