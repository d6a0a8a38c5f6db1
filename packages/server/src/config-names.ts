import { type Near, nearestName } from './core/near-name.ts';

const PREFIX = 'MILLRACE_';

/** Name of a setting's variable: `dataDir` → `MILLRACE_DATA_DIR`. */
export function envOf(name: string): string {
  return PREFIX + flagOf(name).replaceAll('-', '_').toUpperCase();
}

/** Name of a setting's flag: `dataDir` → `data-dir`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface NearName extends Near {
  readonly name: string;
}

/** Variables with the prefix that are none of the known ones, each with the known name it is nearest to. */
export function nearNames(env: Readonly<Record<string, unknown>>, known: readonly string[]): NearName[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => ({ name, ...nearestName(name, known, PREFIX.length) }));
}
