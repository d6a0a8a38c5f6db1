import type { DatabaseSync } from 'node:sqlite';
import { BoundedMap } from '../../core/bounded-map.ts';
import { compileWhere } from '../../people/selection.ts';
import { holds } from '../../people/span.ts';
import { compileTest } from '../../people/value-span.ts';

/**
 * Gives a connection the predicate's own tests as functions: `passes` of a value, `fits` of the properties of an event. Node
 * keeps every value that a statement hands to a function until the statement ends: over many persons, ask in ranges of them
 * (50,000 with ten small events each take some 70 MB).
 */
export function registerPeopleFunctions(db: DatabaseSync): void {
  const tests = memo((text) => compileTest(JSON.parse(text)));
  const wheres = memo((text) => compileWhere(JSON.parse(text)));
  const define = (name: string, run: (json: string, test: string, now: number) => boolean): void => {
    const options = { deterministic: true, directOnly: true };
    db.function(name, options, (json, test, now) => Number(run(String(json), String(test), Number(now))));
  };
  define('passes', (json, test, now) => holds(tests(test)(JSON.parse(json)), now));
  define('fits', (json, where, now) => holds(wheres(where)(JSON.parse(json)), now));
}

/** One statement asks for a handful of texts, millions of times each. */
function memo<T>(make: (text: string) => T): (text: string) => T {
  const made = new BoundedMap<string, T>(100);
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      value = make(text);
      made.set(text, value);
    }
    return value;
  };
}
