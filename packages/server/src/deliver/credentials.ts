import { type Hide, MAX_KEPT } from './attempt.ts';

/** Shorter values are common words. */
const SHORTEST_CREDENTIAL = 8;
const HIDDEN = '••••';

/** A text that answers must not show. */
interface Credential {
  readonly value: string;
  /** The text without escapes, as `meant` has it. */
  readonly meaning: string;
  /** Letters and digits near its beginning, which are written as they are wherever it is repeated. */
  readonly word: string;
}

/**
 * Some endpoints repeat the headers that they got. Those who may read answers may not read these: the values of static headers that may
 * be secrets, whole and without their scheme (`Bearer`). Null where there are none.
 */
export function hiding(headers: Readonly<Record<string, string>>): Hide | null {
  const credentials = Object.values(headers)
    .flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    .filter(({ length }) => length >= SHORTEST_CREDENTIAL)
    // A value may begin with another one.
    .toSorted((one, other) => other.length - one.length)
    .map(credentialOf);
  return credentials.length === 0 ? null : (text) => credentials.reduce(withoutCredential, text);
}

function credentialOf(value: string): Credential {
  const words = value.slice(0, SHORTEST_CREDENTIAL).match(/[a-z\d]+/gi) ?? [''];
  const word = words.reduce((longest, each) => (each.length > longest.length ? each : longest));
  return { value, meaning: charactersOf(value).map(meant).join(''), word };
}

/** Shorter answers were not cut: a byte is a quarter of a character at least. */
const SHORTEST_CUT = MAX_KEPT / 4;

/** A text without a credential. At its end it may have the beginning of one, where the answer was cut. */
function withoutCredential(text: string, { value, meaning, word }: Credential): string {
  const whole = text.replaceAll(value, HIDDEN);
  if (!whole.includes(word)) return whole;
  const isCut = whole.length >= SHORTEST_CUT;
  const tail = (isCut && CUT_ESCAPE.exec(whole)?.[0]) || '';
  const characters = charactersOf(whole.slice(0, whole.length - tail.length));
  const said = characters.map(meant).join('');
  let shown = '';
  let from = 0;
  for (let at = said.indexOf(meaning); at !== -1; at = said.indexOf(meaning, from)) {
    shown += characters.slice(from, at).join('') + HIDDEN;
    from = at + meaning.length;
  }
  for (let n = meaning.length - 1; isCut && n >= SHORTEST_CREDENTIAL; n -= 1) {
    if (said.endsWith(meaning.slice(0, n))) return shown + characters.slice(from, -n).join('') + HIDDEN;
  }
  return shown + characters.slice(from).join('') + tail;
}

/** The beginning of an escape at the end of a text. */
const CUT_ESCAPE = /(?:\\{1,3}(?:u0{0,2}[\da-f]?)?|%[\da-f]?)$/i;

const BACKSLASHES = String.raw`(?:\\|%(?:25)*5c)+`;
const IN_URL = String.raw`%(?:25)*(?:c[23]%[89ab][\da-f]|[\da-f]{2})`;
const WRITTEN = new RegExp(String.raw`${BACKSLASHES}(?:u00[\da-f]{2}|${IN_URL}|[\s\S])|${IN_URL}|[\s\S]`, 'gi');
const ESCAPING = new RegExp(String.raw`^${BACKSLASHES}(?=[\s\S])`, 'i');

/** The characters of a text, each as it is written: as it is, as JSON escapes it (perhaps in a text of another JSON), or as a URL does. */
function charactersOf(text: string): string[] {
  return text.match(WRITTEN) ?? [];
}

/**
 * What a written character means. All but ASCII is the same: a header has it as Latin-1, which an endpoint that repeats it makes
 * no UTF-8. So are a plus and a space, for a URL's sake.
 */
function meant(written: string): string {
  const bare = written.replace(ESCAPING, '');
  const isCode = /^(?:%.|u00)/i.test(bare);
  const char = isCode ? String.fromCharCode(Number.parseInt(bare.slice(-2), 16)) : bare.slice(-1);
  return char > '\x7F' ? '\uFFFD' : char.replace('+', ' ');
}
