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

/** A way from the beginning of both texts: so many lines of the old text are behind it. Its steps are linked, the last one first. */
interface Way {
  readonly x: number;
  readonly last: { readonly step: Step; readonly before: Way['last'] } | null;
}

const START: Way = { x: 0, last: null };

function steps(old: readonly string[], fresh: readonly string[]): Step[] {
  /** For each diagonal x − y, the farthest way of the rounds so far. Each round adds one difference. */
  let ways = new Map<number, Way>([[1, START]]);
  for (let differences = 0; differences <= Math.min(old.length + fresh.length, MOST_DIFFERENCES); differences += 1) {
    const next = new Map(ways);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      // From the neighbour that is farther: down is an added line, right is a removed line.
      const [left, above] = [ways.get(diagonal - 1), ways.get(diagonal + 1)];
      const isDown = !left || (above !== undefined && left.x < above.x);
      let { x, last } = (isDown ? above : left) ?? START;
      if (!isDown) x += 1;
      if (differences > 0) last = { step: isDown ? 'added' : 'removed', before: last };
      for (; x < old.length && x - diagonal < fresh.length && old[x] === fresh[x - diagonal]; x += 1)
        last = { step: 'same', before: last };
      next.set(diagonal, { x, last });
      if (x >= old.length && x - diagonal >= fresh.length) return listed(last);
    }
    ways = next;
  }
  return [...old.map((): Step => 'removed'), ...fresh.map((): Step => 'added')];
}

function listed(last: Way['last']): Step[] {
  const taken: Step[] = [];
  for (let at = last; at; at = at.before) taken.push(at.step);
  return taken.reverse();
}
