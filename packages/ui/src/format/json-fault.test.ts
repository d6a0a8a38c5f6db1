import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFault } from './json-fault.ts';

test.each([
  ['', 1, 'The text ends too early.'],
  ['{\n  "a": 1,\n}', 3, 'A comma stands before }, or a value is missing.'],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 'A comma or } is missing before this.'],
  ['[\n1\n2]', 3, 'A comma or ] is missing before this.'],
  ['{\n  a: 1\n}', 2, 'A name in double quotes is expected here.'],
  ['{"a" 1}', 1, 'A colon is missing before this.'],
  ['{\n\n"a": \'b\'}', 3, 'A value is expected here; texts stand in double quotes.'],
  ['{"a": "b\n"}', 1, 'This text has no end, or a character that has to be escaped.'],
  ['{"a": {"b": []', 1, 'The text ends too early: } is missing.'],
  ['{}\n{}', 2, 'Nothing may follow after the end of the JSON.'],
  ['{"a": 01}', 1, 'A comma or } is missing before this.'],
])('%j is wrong in line %i', (text, line, message) => {
  expect(jsonFault(text)).toEqual({ line, message });
});

test('what is JSON has no fault, and a piece taken out of it is found', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, at) => {
      expect(jsonFault(json)).toBeNull();
      const place = at % json.length;
      const torn = json.slice(0, place) + json.slice(place + 1);
      const fault = jsonFault(torn);
      if (fault !== null) expect(fault.line).toBe(1);
    }),
  );
});
