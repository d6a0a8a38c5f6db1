const PREFIX = 'MILLRACE_';

/** Name of a setting's variable: `dataDir` → `MILLRACE_DATA_DIR`. */
export function envOf(name: string): string {
  return PREFIX + flagOf(name).replaceAll('-', '_').toUpperCase();
}

/** Name of a setting's flag: `dataDir` → `data-dir`. */
export function flagOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export interface NearName {
  readonly name: string;
  readonly nearest: string;
  /** So near that it can only be a slip: a letter of a short name, two of a long one. */
  readonly typo: boolean;
}

/** Variables with the prefix that are none of the known ones, each with the known name it is nearest to. */
export function nearNames(env: Readonly<Record<string, unknown>>, known: readonly string[]): NearName[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !known.includes(name))
    .map((name) => {
      const [nearest = '', distance = 0] = known
        .map((setting) => [setting, editDistance(name, setting)] as const)
        .reduce((best, next) => (next[1] < best[1] ? next : best));
      return { name, nearest, typo: distance <= (nearest.length - PREFIX.length > 6 ? 2 : 1) };
    });
}

/** How many letters must be put in, taken out or changed to make one text the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1];
    for (const [column, counterpart] of [...other].entries()) {
      const change = (above[column] ?? 0) + (letter === counterpart ? 0 : 1);
      line.push(Math.min(change, (above[column + 1] ?? 0) + 1, (line[column] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
