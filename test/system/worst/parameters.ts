import type { Known } from './places.ts';
import type { Parameter, Route } from './routes.ts';
import type { Turns } from './turns.ts';

/** A request's address and head, as bad as they may be. */
export interface WorstHead {
  readonly name: string;
  /** Values for path parameters; others are what is there. */
  readonly path: Readonly<Record<string, string>>;
  /** Without its question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Of the 16 KB that a head may have, what is left for one part of it. */
const HEAD = 14_000;

const TEXTS: Readonly<Record<string, (most: number) => string>> = {
  'a long text': (most) => 'x'.repeat(most),
  'control characters': (most) => '\u0001'.repeat(most),
  wildcards: (most) => '%_'.repeat(most),
  'brackets and stars': (most) => '(a*)*['.repeat(most),
  'quotes and backslashes': (most) => `'"\\`.repeat(most),
  'letters of four bytes': (most) => '\u{1f600}'.repeat(most),
  digits: (most) => '9'.repeat(most),
  dots: (most) => '.a'.repeat(most),
};

/** What it is called, and what it is. */
type Value = readonly [string, string];

/** What a parameter may be: texts as long as its schema and the head allow, and the ends of its range. */
function valuesOf({ name, schema }: Parameter, turns: Turns): Value[] {
  if (schema.enum !== undefined) return schema.enum.map((value) => [String(value), String(value)]);
  if (schema.type === 'boolean') return ['true', 'false'].map((value) => [value, value]);
  if (schema.type === 'integer') return [['the most', String(schema.maximum ?? 2 ** 53)]];
  if (name === 'from') return [['the year 1', '0001-01-01'], ...long(turns, schema.maxLength)];
  if (name === 'to')
    return [['the year 9999', '9999-12-31T23:59:59.999999999+00:00'], ...long(turns, schema.maxLength)];
  return long(turns, schema.maxLength);
}

function long(turns: Turns, most = HEAD): Value[] {
  return turns.deal('parameters', Object.entries(TEXTS), 8).map(([name, text]) => [name, fitted(text(most), most)]);
}

/** A text cut to what fits into a head once it is written as part of an address. */
function fitted(text: string, most: number): string {
  let characters = Math.min(text.length, most);
  const written = (): number => encodeURIComponent(text.slice(0, characters).toWellFormed()).length;
  while (written() > HEAD) characters = Math.floor(characters * Math.min(0.99, HEAD / written()));
  return text.slice(0, characters).toWellFormed();
}

const head = (name: string, rest: Partial<WorstHead>): WorstHead => ({
  path: {},
  query: '',
  headers: {},
  ...rest,
  name,
});

const over = (piece: (place: number) => string): string => {
  let text = '';
  for (let place = 0; ; place += 1) {
    const next = `${place === 0 ? '' : '&'}${piece(place)}`;
    if (text.length + next.length > HEAD) return text;
    text += next;
  }
};

const HEADERS: readonly WorstHead[] = [
  head('many cookies', { headers: { cookie: over((n) => `c${n}=1`).replaceAll('&', '; ') } }),
  head('a cookie of quotes and equals signs', { headers: { cookie: '="'.repeat(HEAD / 2) } }),
  head('a Content-Type of spaces and semicolons', {
    headers: { 'content-type': `application/json${'; ='.repeat(4_000)}` },
  }),
  head('forwarded many times', { headers: { 'x-forwarded-for': '1.1.1.1, '.repeat(1_500) } }),
];

const QUERIES: readonly WorstHead[] = [
  head('unknown parameters', { query: over((n) => `a${n}=1`) }),
  head('deep names', { query: over((n) => `${'a.'.repeat(31)}${n}=1`) }),
  head('names with brackets', { query: over((n) => `a[${n}][b]=1`) }),
  head('data of base64', {
    query: `data=${Buffer.from(`{"userId":${'['.repeat(5_000)}${']'.repeat(5_000)}}`)
      .toString('base64')
      .slice(0, HEAD)}`,
  }),
  head('nothing but ampersands', { query: '&'.repeat(HEAD) }),
  head('nothing but percent signs', { query: '%'.repeat(HEAD) }),
];

/** The worst heads for a route. The first is an ordinary one: what is there may be what is expensive. */
export function worstHeads({ parameters, path }: Route, known: Known, turns: Turns): WorstHead[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const most = query.filter(({ name, required }) => required || ['limit', 'from', 'to'].includes(name));
  const at = (parameter: Parameter): Value => {
    const value = known(parameter.name);
    return (value === undefined ? undefined : ['', String(value)]) ?? valuesOf(parameter, turns)[0] ?? ['', ''];
  };
  return [
    head('as it is', {}),
    ...(most.length > 0 ? [head('as much as there is', { query: queryOf(most.map((one) => [one, at(one)[1]])) })] : []),
    ...inPath.flatMap((name) => {
      const known = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name);
      const parameter = known ?? ({ name, in: 'path', schema: {} } as const);
      return valuesOf(parameter, turns).map(([kind, value]) => head(`${name}: ${kind}`, { path: { [name]: value } }));
    }),
    ...query.flatMap((parameter) =>
      [...valuesOf(parameter, turns), ...long(turns)].map(([kind, value]) => {
        const rest = most.filter((other) => other !== parameter).map((one): [Parameter, string] => [one, at(one)[1]]);
        const room = value.length > HEAD / 2 ? [] : rest;
        return head(`${parameter.name}: ${kind}`, { query: queryOf([[parameter, value], ...room]) });
      }),
    ),
    ...query.slice(0, 1).map(({ name }) => head(`${name} again and again`, { query: over(() => `${name}=1`) })),
    ...turns.deal('queries', QUERIES, QUERIES.length),
    ...turns.deal('headers', HEADERS, HEADERS.length),
  ];
}

function queryOf(pairs: readonly (readonly [Parameter, string])[]): string {
  return pairs.map(([{ name }, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
}
