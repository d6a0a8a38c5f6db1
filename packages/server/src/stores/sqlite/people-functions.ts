import type { DatabaseSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import { compileWhere } from '../../people/selection.ts';
import { holds } from '../../people/span.ts';
import { compileTest } from '../../people/value-span.ts';

/** Compiled conditions that are kept: one statement calls a few of them, millions of times each. */
const TEXTS = 100;

/**
 * Adds the predicate's tests to a connection as SQL functions: `passes` for a value, `fits` for the properties of an event.
 * Node keeps every value that a statement passes to a function until the statement ends. So ask about many persons in ranges:
 * 50,000 with ten small events each take some 70 MB.
 */
export function registerPeopleFunctions(db: DatabaseSync): void {
  const tests = memo(TEXTS, (text) => compileTest(JSON.parse(text)));
  const wheres = memo(TEXTS, (text) => compileWhere(JSON.parse(text)));
  const define = (name: string, run: (json: string, test: string, now: number) => boolean): void => {
    const options = { deterministic: true, directOnly: true };
    db.function(name, options, (json, test, now) => Number(run(String(json), String(test), Number(now))));
  };
  define('passes', (json, test, now) => holds(tests(test)(JSON.parse(json)), now));
  define('fits', (json, where, now) => holds(wheres(where)(JSON.parse(json)), now));
}
