import type { Delta } from '../../components/stat-card.tsx';

const AGAINST = 'against the time of the same length before';

interface Tried {
  readonly attempts: number;
  readonly attemptsFailed: number;
}

/**
 * The change of a number, in percent of the earlier value. Null if there was no earlier value, or the change is too
 * small.
 *
 * @param moreIsGood null if neither is good.
 */
export function changeOf(now: number, before: number, moreIsGood: boolean | null): Delta | null {
  if (before === 0) return null;
  const percent = ((now - before) / before) * 100;
  if (Math.abs(percent) < 0.1) return null;
  return {
    text: signed(percent, '%'),
    good: moreIsGood === null ? null : percent > 0 === moreIsGood,
    against: AGAINST,
  };
}

/** The change of the share of successful attempts, in percentage points. */
export function changeOfRate(now: Tried, before: Tried): Delta | null {
  if (now.attempts === 0 || before.attempts === 0) return null;
  const succeeded = ({ attempts, attemptsFailed }: Tried): number => (attempts - attemptsFailed) / attempts;
  const points = (succeeded(now) - succeeded(before)) * 100;
  if (Math.abs(points) < 0.01) return null;
  return { text: signed(points, ' pp'), good: points > 0, against: AGAINST };
}

function signed(value: number, unit: string): string {
  const size = Math.abs(value);
  return `${value > 0 ? '+' : '−'}${size >= 100 ? size.toFixed(0) : size >= 1 ? size.toFixed(1) : size.toFixed(2)}${unit}`;
}
