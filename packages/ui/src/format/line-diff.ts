export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
  /** Line number in the old and in the new text, from 1; null if the line is not in that text. */
  readonly before: number | null;
  readonly after: number | null;
}

/** With more differing lines than this, the result is all old lines removed and all new lines added. */
const MOST_DIFFERENCES = 500;

/** The fewest removed and added lines that turn one text into the other (Myers, 1986). */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = linesOf(before);
  const fresh = linesOf(after);
  const lines: DiffLine[] = [];
  let x = 0;
  let y = 0;
  for (const step of steps(old, fresh)) {
    if (step !== 'added') x += 1;
    if (step !== 'removed') y += 1;
    const text = (step === 'added' ? fresh[y - 1] : old[x - 1]) ?? '';
    lines.push({ kind: step, text, before: step === 'added' ? null : x, after: step === 'removed' ? null : y });
  }
  return lines;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

type Step = DiffLine['kind'];

function steps(old: readonly string[], fresh: readonly string[]): Step[] {
  /** For each diagonal x − y, the farthest line of the old text that the rounds so far have reached. Each round adds one difference. */
  let reach = new Map<number, number>([[1, 0]]);
  const rounds: Map<number, number>[] = [];
  for (let differences = 0; differences <= Math.min(old.length + fresh.length, MOST_DIFFERENCES); differences += 1) {
    rounds.push(reach);
    const next = new Map(reach);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let x = farthest(reach, diagonal, differences);
      while (x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= old.length && x - diagonal >= fresh.length) return back(rounds, old.length, fresh.length);
    }
    reach = next;
  }
  return [...old.map((): Step => 'removed'), ...fresh.map((): Step => 'added')];
}

/** Continues from the neighbour diagonal that is farther: down is an added line, right is a removed line. */
function farthest(reach: ReadonlyMap<number, number>, diagonal: number, differences: number): number {
  return comesDown(reach, diagonal, differences) ? (reach.get(diagonal + 1) ?? 0) : (reach.get(diagonal - 1) ?? 0) + 1;
}

function comesDown(reach: ReadonlyMap<number, number>, diagonal: number, differences: number): boolean {
  if (diagonal === -differences) return true;
  return diagonal !== differences && (reach.get(diagonal - 1) ?? -1) < (reach.get(diagonal + 1) ?? -1);
}

/** The steps to the end, in order. */
function back(rounds: readonly ReadonlyMap<number, number>[], width: number, height: number): Step[] {
  const taken: Step[] = [];
  let [x, y] = [width, height];
  for (let differences = rounds.length - 1; differences >= 0; differences -= 1) {
    const reach = rounds[differences] ?? new Map();
    const down = comesDown(reach, x - y, differences);
    const fromDiagonal = x - y + (down ? 1 : -1);
    const fromX = reach.get(fromDiagonal) ?? 0;
    const fromY = fromX - fromDiagonal;
    while (x > fromX && y > fromY && x > 0 && y > 0) {
      taken.push('same');
      x -= 1;
      y -= 1;
    }
    if (differences > 0) taken.push(down ? 'added' : 'removed');
    [x, y] = [fromX, fromY];
  }
  return taken.reverse();
}
