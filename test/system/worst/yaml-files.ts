import type { Shape } from './shapes.ts';

/** A settings file may have this many characters, each of which is one or two bytes of JSON. */
const CHARACTERS = 500_000;

/** A section of a file may have this many entries. */
const MOST_ENTRIES = 2_000;

type File = (characters: number) => string;

/** Lines one after the other, as many as fit. */
function lines(characters: number, head: string, line: (place: number) => string, most: number): string {
  const all: string[] = [head];
  let length = head.length;
  for (let place = 0; ; place += 1) {
    const next = line(place);
    length += next.length;
    if (length > characters || place === most) return all.join('');
    all.push(next);
  }
}

const many =
  (head: string, line: (place: number) => string, most = Number.POSITIVE_INFINITY): File =>
  (characters) =>
    lines(characters, head, line, most);

const nested =
  (open: string, close: string): File =>
  (characters) => {
    const depth = Math.floor((characters - 20) / (open.length + close.length));
    return `sources: ${open.repeat(depth)}${close.repeat(depth)}\n`;
  };

const destination = (n: number): string =>
  `  - name: D${n}\n    type: Webhooks\n    webhooks: [{ url: "http://127.0.0.1:9/${n}" }]\n`;

/** Each takes seconds, on a thread: the worst of each kind (keys, depth, aliases, entries, variables), that of the route below it every other. */
const ALL: Readonly<Record<string, File>> = {
  '16,000 keys': (size) =>
    Array.from({ length: 16_000 }, (_, n) => `key${n}: 1\n`)
      .join('')
      .slice(0, size),
  'sources of one name': many('sources:\n', () => '  - {name: A, type: web}\n'),
  'deep flow lists': nested('[', ']'),
  'many aliases of one list': (size) => many(`a: &a [${'x, '.repeat(1_000)}]\nsources:\n`, () => '  - *a\n')(size),
  'many URLs': many(
    'destinations:\n',
    (n) =>
      `  - name: D${n}\n    webhooks: [${[1, 2, 3, 4, 5].map((m) => `{ url: "http://127.0.0.1:9/${n}/${m}" }`).join(',')}]\n`,
    MOST_ENTRIES,
  ),
  destinations: many('destinations:\n', destination, MOST_ENTRIES),
  'too many destinations': many('destinations:\n', destination),
  sources: many('sources:\n', (n) => `  - {name: S${n}, type: server}\n`, MOST_ENTRIES),
  'too many sources': many('sources:\n', (n) => `  - {name: S${n}, type: server}\n`),
  'variables that are not there': many('sources:\n', () => `  - name: "${'\u0024{A}'.repeat(6)}"\n`),
  'a webhook of many headers': many(
    'destinations:\n  - name: D\n    webhooks:\n      - url: http://127.0.0.1:9/\n        headers:\n',
    (n) => `          X-${n}: a\n`,
  ),
};

/** Settings files, as the JSON texts that carry them. */
export const FILES: readonly Shape[] = Object.entries(ALL).map(([name, file]) => ({
  name,
  text: (bytes) => {
    const characters = Math.min(CHARACTERS, bytes);
    const text = file(characters).slice(0, characters);
    const json = JSON.stringify(text);
    if (json.length <= bytes) return json;
    return JSON.stringify(text.slice(0, Math.floor((text.length * bytes) / json.length) - 10));
  },
}));
