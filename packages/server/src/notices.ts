import type { Loss } from './log/contract.ts';

/** What a jump of the machine's clock means; 0 for one that is right again. */
export function clockWords(ms: number): string {
  if (ms === 0) return "this machine's clock is right again";
  if (ms > 0)
    return "this machine's clock was set forward, or the machine slept: retry windows stay as long as they were";
  return "this machine's clock was set back: the service keeps its own time until it is restarted";
}

export const DISK_IS_SHORT = 'the disk has little room left: calls of web and mobile sources are refused. Make room';

/** What no admin has taken note of yet, in words; null for nothing. */
export function lossWords(losses: readonly Loss[]): string | null {
  const open = losses.filter(({ notedAt }) => notedAt === null);
  if (open.length === 0) return null;
  const events = open.reduce((sum, loss) => sum + loss.events, 0);
  const what = open.map((loss) => loss.what).join('; ');
  return `at least ${events} events that were confirmed are gone: ${what}. Restore a backup, or take note of it on the overview`;
}
