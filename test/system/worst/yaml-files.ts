import type { Shape } from './shapes.ts';

/** A settings file may have this many characters, each of which is one or two bytes of JSON. */
const CHARACTERS = 500_000;

type File = (characters: number) => string;

/** Lines one after the other, as many as fit. */
function lines(characters: number, head: string, line: (place: number) => string): string {
  const all: string[] = [head];
  let length = head.length;
  for (let place = 0; ; place += 1) {
    const next = line(place);
    length += next.length;
    if (length > characters) return all.join('');
    all.push(next);
  }
}

const many =
  (head: string, line: (place: number) => string): File =>
  (characters) =>
    lines(characters, head, line);

const nested =
  (open: string, close: string): File =>
  (characters) => {
    const depth = Math.floor((characters - 20) / (open.length + close.length));
    return `sources: ${open.repeat(depth)}${close.repeat(depth)}\n`;
  };

const filled =
  (head: string, piece: string, tail = ''): File =>
  (characters) =>
    head + piece.repeat(Math.floor((characters - head.length - tail.length) / piece.length)) + tail;

const destination = (n: number): string =>
  `  - name: D${n}\n    type: Webhooks\n    webhooks: [{ url: "http://127.0.0.1:9/${n}" }]\n`;

const ALL: Readonly<Record<string, File>> = {
  '16,000 keys': (size) =>
    Array.from({ length: 16_000 }, (_, n) => `key${n}: 1\n`)
      .join('')
      .slice(0, size),
  'keys like integers': many('', (n) => `${n}: 1\n`),
  'keys in a flow map': many('sources: {', (n) => `k${n}: 1, `),
  'a flow map of keys': (size) => `${many('sources: {', (n) => `k${n}: 1, `)(size - 2)}}\n`,
  'deep flow lists': nested('[', ']'),
  'deep flow maps': nested('{a: ', '}'),
  'deep lists in a line': filled('sources:\n  ', '- ', 'x\n'),
  'deep block maps': (size) =>
    Array.from({ length: Math.floor(Math.sqrt(size)) }, (_, n) => `${' '.repeat(n)}a:\n`).join(''),
  'keys of keys': filled('', '? '),
  'open brackets': filled('sources: ', '['),
  'open braces': filled('sources: ', '{'),
  'aliases of aliases': (size) => {
    const bomb = many('a0: &a0 [x, x, x, x, x, x, x, x, x]\n', (n) => {
      const alias = `*a${n}`;
      return `a${n + 1}: &a${n + 1} [${Array.from({ length: 9 }, () => alias).join(', ')}]\n`;
    });
    return bomb(Math.min(size, 600));
  },
  'many aliases of one list': (size) => many(`a: &a [${'x, '.repeat(1_000)}]\nsources:\n`, () => '  - *a\n')(size),
  'many anchors': many('sources:\n', (n) => `  - &a${n} x\n`),
  'aliases without anchors': many('sources:\n', (n) => `  - *a${n}\n`),
  'merged maps': many('a: &a {b: 1}\nsources:\n', () => '  - {<<: *a}\n'),
  'the same key again and again': many('', () => 'sources: 1\n'),
  'lines that are no YAML': many('', (n) => `}${n}: "\n`),
  'bad indentation': many('sources:\n', (n) => `${' '.repeat((n * 7) % 13)}- a: 1\n`),
  tabs: filled('sources:\n', '\t- a\n'),
  directives: filled('', '%YAML 9.9\n', '---\n'),
  'unknown tags': many('sources:\n', (n) => `  - !t${n} x\n`),
  documents: filled('', '---\n'),
  comments: filled('', '# x\n'),
  'empty lines': filled('', '\n'),
  'one long line of spaces': filled('sources:', ' ', 'x\n'),
  'one long plain text': filled('sources: ', 'x '),
  'a plain text of many lines': filled('sources: x\n', '  x\n'),
  'a folded text': filled('sources: >\n', '  x\n\n'),
  'an open quote': filled('sources: "', 'x\\n'),
  'quotes in quotes': filled("sources: '", "''"),
  escapes: filled('sources: "', '\\U0001F600', '"\n'),
  colons: filled('sources: ', 'a:'),
  'a list of empty entries': filled('sources:\n', '-\n'),
  'a list of maps': many('sources:\n', () => '- {}\n'),
  'sources that are wrong': many('sources:\n', (n) => `  - {id: s${n}, x: 1}\n`),
  'sources of one name': many('sources:\n', () => '  - {name: A, type: web}\n'),
  sources: many('sources:\n', (n) => `  - {name: S${n}, type: server}\n`),
  destinations: many('destinations:\n', destination),
  'destinations of sources that are not there': many('destinations:\n', (n) =>
    destination(n).replace('    type', `    sources: [a${n}, b, c]\n    type`),
  ),
  'a destination of many sources': (size) =>
    `${many('destinations:\n  - name: D\n    type: Webhooks\n    sources: [', (n) => `s${n}, `)(size - 2)}]\n`,
  'a destination of many webhooks': many(
    'destinations:\n  - name: D\n    webhooks:\n',
    (n) => `      - {url: "http://127.0.0.1:9/${n}"}\n`,
  ),
  'a webhook of many headers': many(
    'destinations:\n  - name: D\n    webhooks:\n      - url: http://127.0.0.1:9/\n        headers:\n',
    (n) => `          X-${n}: a\n`,
  ),
  'variables that are not there': many('sources:\n', () => `  - name: "${'\u0024{A}'.repeat(6)}"\n`),
  'a text of variables': filled('sources:\n  - name: "', '\u0024{A}', '"\n'),
  'a text of open variables': filled('sources:\n  - name: "', '${', '"\n'),
  'variables that are escaped': filled('sources:\n  - name: "', '$${', '"\n'),
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
