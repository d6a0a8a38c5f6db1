/** Counts of what became of rounds: a message was delivered, failed for good, or is tried again. And of their attempts. */
interface Rounds {
  readonly processed: number;
  readonly failed: number;
  readonly retried: number;
  readonly attemptsFailed: number;
}

/**
 * How many rounds these counts stand for. Health and alerts judge a destination by the share of rounds that delivered a message.
 * A round that did not has a failed attempt at least: a message that failed because it had waited for too long was not tried.
 */
export function roundsOf({ processed, failed, retried, attemptsFailed }: Rounds): number {
  return processed + Math.min(failed + retried, attemptsFailed);
}
