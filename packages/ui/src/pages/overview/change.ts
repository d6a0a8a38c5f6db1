import type { Delta } from '../../components/stat-card.tsx';

const AGAINST = 'against the time of the same length before';

interface Tried {
  readonly attempts: number;
  readonly attemptsFailed: number;
}

/**
 * How a number has changed, in percent of what it was. Null where there was nothing to compare with, or too little
 * changed to be told.
 *
 * @param moreIsGood null where neither is.
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

/** How the share of attempts that succeeded has changed, in percentage points. */
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
