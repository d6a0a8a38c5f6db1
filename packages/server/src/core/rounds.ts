/** Counts of what became of rounds: a message was delivered, failed for good, or is tried again. */
interface Rounds {
  readonly processed: number;
  readonly failed: number;
  readonly retried: number;
}

/** How many rounds these counts stand for. Health and alerts judge a destination by the share of rounds that delivered a message. */
export function roundsOf({ processed, failed, retried }: Rounds): number {
  return processed + failed + retried;
}
