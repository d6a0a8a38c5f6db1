import { type Hide, MAX_KEPT } from './attempt.ts';

/** Shorter values are common words. */
const SHORTEST_CREDENTIAL = 8;
const HIDDEN = '••••';

/**
 * Some endpoints repeat the headers that they got. Those who may read answers may not read these: the values of static headers that may
 * be secrets, whole and without their scheme (`Bearer`). Null where there are none.
 */
export function hiding(headers: Readonly<Record<string, string>>): Hide | null {
  const values = Object.values(headers)
    .flatMap((value) => [value, value.slice(value.indexOf(' ') + 1)])
    .filter(({ length }) => length >= SHORTEST_CREDENTIAL);
  const all = new Set(values.flatMap((value) => WRITERS.map((written) => written(value))));
  // A value may begin with another one.
  const credentials = [...all].toSorted((one, other) => other.length - one.length);
  return credentials.length === 0 ? null : (text) => credentials.reduce(withoutCredential, text);
}

const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const escaped = (char: string): string => `\\u00${char.charCodeAt(0).toString(16).toUpperCase()}`;

/** How an endpoint may write a value: as it is, in JSON (JavaScript and most others, PHP, .NET), in a URL. */
const WRITERS: readonly ((value: string) => string)[] = [
  (value) => value,
  json,
  (value) => json(value).replaceAll('/', '\\/'),
  (value) => value.replaceAll('\\', '\\\\').replace(/["&'+<>`]/g, escaped),
  encodeURIComponent,
];

/** Shorter answers were not cut: a byte is a quarter of a character at least. */
const SHORTEST_CUT = MAX_KEPT / 4;

/** A text without a credential. At its end it may have the beginning of one, where the answer was cut. */
function withoutCredential(text: string, credential: string): string {
  const whole = text.replaceAll(credential, HIDDEN);
  for (let n = credential.length - 1; n >= SHORTEST_CREDENTIAL && whole.length >= SHORTEST_CUT; n--) {
    if (whole.endsWith(credential.slice(0, n))) return `${whole.slice(0, -n)}${HIDDEN}`;
  }
  return whole;
}
