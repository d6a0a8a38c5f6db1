import type { Incident } from '../../../../server/src/admin/contract.ts';
import { ALERT_RULES } from '../../../../server/src/alerts/rules.ts';
import { count, duration } from '../../format/number.ts';

/** What a rule measured, in its unit; null for a rule that measures nothing. */
export function measured(rule: Incident['rule'], value: number): string | null {
  const { unit } = ALERT_RULES[rule];
  switch (unit) {
    case 'milliseconds':
      return duration(value);
    case 'share':
      // 0.29 × 100 is a little less than 29.
      return `${Math.floor(Number((value * 100).toFixed(6)))} %`;
    case 'events':
      return count(value);
    case 'none':
      return null;
    default:
      return unit satisfies never;
  }
}

/** `5,693 wait, 31 failed in 15 min`; null where nothing of it is known. */
export function numbersInWords({ waiting, failed }: Incident['numbers']): string | null {
  const parts = [
    waiting !== null && `${count(waiting)} ${waiting === 1 ? 'waits' : 'wait'}`,
    failed !== null && `${count(failed)} failed in 15 min`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? null : parts.join(', ');
}
