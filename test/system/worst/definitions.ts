import { nested, quoted, repeated, type Shape, some } from './shapes.ts';

const TEST = '"is":{"equals":1}';
const LEAF = `{"trait":"a",${TEST}}`;

const CONDITIONS: Readonly<Record<string, (bytes: number) => string>> = {
  'not in not': (bytes) => nested(bytes, '{"not":', '}', LEAF),
  'all in any': (bytes) => nested(bytes, '{"all":[{"any":[', ']}]}', LEAF),
  'all of everything': (bytes) => `{"all":${repeated(bytes - 8, () => LEAF)}}`,
  'all of nothing': (bytes) => `{"all":${repeated(bytes - 8, () => '{}')}}`,
  'all of a hundred, as large as they may be': (bytes) => `{"all":${some(bytes - 8, 100, longest)}}`,
  'any of a hundred events': (bytes) =>
    `{"any":${some(bytes - 8, 100, (n) => `{"event":{"name":"E${n}"},"count":{"atMost":9}}`)}}`,
  'all of a hundred alls': (bytes) =>
    `{"all":${some(bytes - 8, 100, () => `{"any":${some(bytes / 101 - 8, 100, () => LEAF)}}`)}}`,
  'one of many': (bytes) => `{"trait":"a","is":{"in":${repeated(bytes - 30, (n) => String(n))}}}`,
  'one of a hundred long ones': (bytes) =>
    `{"trait":"a","is":{"in":${some(bytes - 30, 100, (n) => quoted(6_000, 'ß', 990).replace('"', `"${n}`))}}}`,
  'one of the wrong ones': (bytes) => `{"trait":"a","is":{"in":${repeated(bytes - 30, () => '[]')}}}`,
  'an event with a thousand tests': (bytes) => `{"event":${event(bytes - 12)}}`,
  'a condition with many fields': (bytes) => repeated(bytes, (n) => `"all${n}":[]`, '{', '}'),
  'eight deep, with a hundred leaves': () => nested(0, '', '', deep(8)),
};

const TRAITS: Readonly<Record<string, (bytes: number) => string>> = {
  'a trait of an event with a thousand tests': (bytes) => `{"compute":{"uniqueList":"a"},"event":${event(bytes - 50)}}`,
  'a trait of a deep path': () => `{"compute":{"mostFrequent":"${'a.'.repeat(99)}a"},"event":{"name":"E"}}`,
  'a trait computed in many ways': (bytes) =>
    `{"compute":${repeated(bytes - 50, (n) => `"sum${n}":"a"`, '{', '}')},"event":{"name":"E"}}`,
};

function longest(place: number): string {
  return `{"trait":"${'t'.repeat(190)}${place}","is":{"contains":${quoted(6_000, '\\u0001', 1_000)}}}`;
}

function event(bytes: number): string {
  return `{"name":"E","where":${repeated(bytes - 30, (n) => `{"property":"${'a.'.repeat(90)}${n}",${TEST}}`)}}`;
}

function deep(levels: number): string {
  const leaves = Array.from({ length: 10 }, () => LEAF).join(',');
  return levels === 1 ? LEAF : `{"all":[${leaves},{"not":${deep(Math.max(1, levels - 2))}}]}`;
}

/** What an audience or a computed trait may be defined by. */
export const DEFINITIONS: readonly Shape[] = Object.entries({ ...CONDITIONS, ...TRAITS }).map(([name, text]) => ({
  name,
  text: (bytes) => text(bytes),
}));
