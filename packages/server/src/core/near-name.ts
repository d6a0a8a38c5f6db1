export interface Near {
  readonly nearest: string;
  /** So near that it must be a slip: one letter of a short name, two of a long one. */
  readonly isSlip: boolean;
}

/**
 * The known name that a name is nearest to. It costs the product of the lengths of both.
 *
 * @param prefix letters that all known names begin with; they do not count.
 */
export function nearestName(name: string, known: readonly string[], prefix = 0): Near {
  const [nearest, distance] = known
    .map((each) => [each, editDistance(name, each)] as const)
    .reduce((best, next) => (next[1] < best[1] ? next : best), ['', Number.POSITIVE_INFINITY]);
  return { nearest, isSlip: distance <= (nearest.length - prefix > 6 ? 2 : 1) };
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
