import { beginningOf } from '../../format/shortened.ts';

/** More than this of properties is not shown on their line, characters. */
const LONGEST = 120;

/** `total: 9.5 · currency: EUR`: what stands in an object, in one line. */
export function brief(object: Readonly<Record<string, unknown>>): string {
  const line = Object.entries(object)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ');
  return beginningOf(line, LONGEST);
}
