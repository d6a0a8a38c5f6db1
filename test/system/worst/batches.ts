import { nested, quoted, repeated, some, type Worst } from './shapes.ts';
import type { Turns } from './turns.ts';

const CALLS = 2_500;

/** What 1,000 calls of a shop's pages are like: a batch as large as it may be, and no worse than others. */
export function ordinaryBatch(bytes: number, once: string): string {
  const call = (n: number): string =>
    JSON.stringify({
      type: 'track',
      event: 'Product Added',
      messageId: `${once}-${n}`,
      userId: `user-${n % 100}`,
      timestamp: '2026-11-20T09:30:00.123Z',
      properties: { sku: `A-${n}`, price: 27.5, quantity: 2, currency: 'EUR', category: 'Garden' },
      context: {
        ip: '203.0.113.9',
        locale: 'en-GB',
        library: { name: 'analytics.js', version: '2.11.1' },
        page: { path: '/garden', url: 'https://shop.example/garden', title: 'Garden' },
      },
    });
  return repeated(bytes, call, '{"batch":[', ']}');
}

type Own = (once: string, n: number) => string;

/** A batch that says something for all its calls: `own` is what each of them says beside its type and user. */
function merging(field: string, share: number, of: (bytes: number) => string, own: Own) {
  return (bytes: number, once: string): string => {
    const around = of(Math.floor(bytes * share));
    const head = `{${field.replace('%', around)},"batch":[`;
    const call = (n: number): string => `{"type":"track","event":"E","userId":"u"${own(once, n)}}`;
    return some(bytes, CALLS, call, head, ']}');
  };
}

const object = (bytes: number, entry: (n: number) => string): string => repeated(bytes, entry, '{', '}');

const AROUND: Readonly<Record<string, (bytes: number) => string>> = {
  'short keys': (bytes) => object(bytes, (n) => `"k${n}":true`),
  'keys like integers': (bytes) => object(bytes, (n) => `"${n}":false`),
  'numbers that grow': (bytes) => `{"a":${repeated(bytes - 8, () => '1e20')}}`,
  'keys that are escaped': (bytes) => object(bytes, (n) => `"\\u0001\\u0002${n}":0`),
  'deep objects': (bytes) => nested(Math.min(bytes, 12_000), '{"a":', '}'),
};

const FIELDS = { context: '"context":%', integrations: '"integrations":%', both: '"context":{"integrations":%}' };

const OWNS: Readonly<Record<string, Own>> = {
  'calls that say nothing': () => '',
  'calls with a key of their own': () => ',"context":{"k1":1},"integrations":{"k1":true}',
  'calls with a key like an integer': (_, n) => `,"context":{"${n}":1},"integrations":{"${n}":true}`,
  'calls that are refused': (once, n) => `,"messageId":"${`${once}-${n}`.padEnd(101, 'm')}"`,
};

/** For each field and each kind of what it says: the calls below it. */
const MERGED: readonly (readonly Worst[])[] = Object.entries(FIELDS).flatMap(([field, pattern]) =>
  Object.entries(AROUND).map(([kind, around]) =>
    [0.08, 0.5].flatMap((share) =>
      Object.entries(OWNS).map(([calls, own]) => ({
        name: `${field === 'both' ? 'integrations in the context' : field} of ${kind} (${share * 100} %), ${calls}`,
        make: merging(pattern, share, around, own),
      })),
    ),
  ),
);

/** Calls without anything around them. */
function calls(name: string, call: (once: string, n: number) => string, most: number = CALLS): Worst {
  const make = (bytes: number, once: string): string => some(bytes, most, (n) => call(once, n), '{"batch":[', ']}');
  return { name, make };
}

const track = (rest: string): string => `{"type":"track","event":"E","userId":"u"${rest}}`;
const properties = (text: string): string => track(`,"properties":${text}`);

const LARGE = 32_600;

/** What a batch may be made of: all there is without anything around it, and some of the rest. */
export function worstBatches(turns: Turns): Worst[] {
  return [...ALONE, ...MERGED.flatMap((below) => turns.deal('merged', below, below.length))];
}

const ALONE: readonly Worst[] = [
  { name: 'ordinary calls', make: ordinaryBatch },
  calls('small calls', () => '{"type":"page","userId":"u"}'),
  calls('small calls with ids', (once, n) => track(`,"messageId":"${once}-${n}"`)),
  calls('calls with the same id', (once) => track(`,"messageId":"${once}"`)),
  calls('numbers instead of calls', () => '0'),
  calls('more numbers than calls are allowed', () => '0', Number.POSITIVE_INFINITY),
  calls('empty objects instead of calls', () => '{}'),
  calls('calls of unknown types', (_, n) => `{"type":"t${n}","userId":"u","properties":{"a":[{}]}}`),
  calls('calls without an event', () => '{"type":"track","userId":"u"}'),
  calls('calls with unknown fields', (_, n) => track(`,"a${n}":1,"b${n}":{},"c":null,"${n}":[]`)),
  calls('calls with long ids', (once, n) => track(`,"messageId":"${`${once}-${n}`.padEnd(101, 'm')}"`)),
  calls('large calls', () => properties(object(LARGE, (n) => `"k${n}":1`))),
  calls('large calls with keys like integers', () => properties(object(LARGE, (n) => `"${n}":1`))),
  calls('large calls of numbers that grow', () => properties(`{"a":${repeated(LARGE - 8, () => '1e20')}}`)),
  calls('calls too large by numbers that grow', () => properties(`{"a":${repeated(60_000, () => '1e20')}}`)),
  calls('large calls of escapes', () => properties(`{"a":${quoted(LARGE - 8, '\\u0001')}}`)),
  calls('deep calls', () => properties(nested(5_000, '{"a":', '}'))),
  calls('calls too deep', () => properties(`{"a":${nested(60_000, '[', ']')}}`)),
  calls(
    'large calls of unknown fields',
    () => `{"type":"track","event":"E","userId":"u",${object(LARGE, (n) => `"${n}x":1`).slice(1)}`,
  ),
  calls(
    'large calls that are refused',
    () => `{"type":"track","userId":"u","properties":${object(LARGE, (n) => `"${n}":1e20`)}}`,
  ),
  calls('calls whose ids have 30,000 characters', () => track(`,"messageId":${quoted(LARGE, '\\ud83d\\ude00')}`)),
  calls('calls with odd times', () =>
    track(`,"timestamp":${quoted(2_000, '2026-01-01T00:')},"sentAt":${quoted(2_000, ' ')}`),
  ),
  calls('calls with many integrations', () => track(`,"integrations":${object(3_000, (n) => `"${n}":{"a":1e20}`)}`)),
  calls(
    'persons with many traits',
    (once, n) => `{"type":"identify","userId":"u${once}","traits":${object(LARGE, (k) => `"t${n}-${k}":1`)}}`,
  ),
  calls('aliases in a chain', (once, n) => `{"type":"alias","previousId":"${once}${n}","userId":"${once}${n + 1}"}`),
  calls('calls of a user each', (once, n) => `{"type":"identify","userId":"${once}-${n}","anonymousId":"a${n}"}`),
];
