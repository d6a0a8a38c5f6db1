import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { callIn } from './parsed-body.ts';

const encoder = new TextEncoder();

test('a body is parsed once for all who ask at almost the same time', () => {
  const bodies = Array.from({ length: 128 }, (_, i) => encoder.encode(JSON.stringify({ i, text: 'x'.repeat(1_000) })));
  const calls = bodies.map(callIn);
  expect(bodies.map(callIn).every((call, i) => call === calls[i])).toBe(true);
});

test('bodies whose values take far more memory than their text are not kept parsed in numbers', () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const used = (): number => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const text = JSON.stringify({ properties: { list: Array.from({ length: 10_000 }, () => ({})) } });
  const bodies = Array.from({ length: 200 }, () => encoder.encode(text));
  const before = used();
  for (const body of bodies) callIn(body);
  expect(used() - before).toBeLessThan(20_000_000);
});
